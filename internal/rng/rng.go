// Package rng derives independent random streams from one seed by name.
//
// A run has one seed. All code that needs random numbers asks for its own stream:
//
//	r := rng.Stream(seed, "split", fold)
//
// The stream depends only on the seed and the name. So a new consumer, or one that draws more
// numbers than before, does not change the numbers of others, and goroutines that draw from
// different streams need no order. There is no global source.
//
// The generator is PCG (math/rand/v2), 128 bits of state, seeded with a SHA-256 of seed and name.
// The hash makes streams with similar names independent.
package rng

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// Stream returns the random stream of a seed and a name. The parts of the name are strings and
// integers of any integer type; 3 and uint64(3) are the same part. Their order and their bounds
// matter: ("ab", "c") and ("a", "bc") are two streams. It panics on a part of another type. Only
// one goroutine may use the result.
func Stream(seed uint64, parts ...any) *rand.Rand { return rand.New(Source(seed, parts...)) }

// Source is Stream without the wrapper, for callers that store the state of the generator in a
// checkpoint (PCG.MarshalBinary).
func Source(seed uint64, parts ...any) *rand.PCG {
	// Each part is written as a tag, its length and its bytes, so that no two
	// lists of parts give the same text.
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, 64), seed)
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			b = append(b, 's')
			b = binary.LittleEndian.AppendUint64(b, uint64(len(p)))
			b = append(b, p...)
		case int:
			b = appendInt(b, uint64(p))
		case int8:
			b = appendInt(b, uint64(p))
		case int16:
			b = appendInt(b, uint64(p))
		case int32:
			b = appendInt(b, uint64(p))
		case int64:
			b = appendInt(b, uint64(p))
		case uint:
			b = appendInt(b, uint64(p))
		case uint8:
			b = appendInt(b, uint64(p))
		case uint16:
			b = appendInt(b, uint64(p))
		case uint32:
			b = appendInt(b, uint64(p))
		case uint64:
			b = appendInt(b, p)
		default:
			panic(fmt.Sprintf("rng: stream name part %v has type %T, expected a string or an integer", p, p))
		}
	}
	sum := sha256.Sum256(b)
	return rand.NewPCG(binary.LittleEndian.Uint64(sum[0:8]), binary.LittleEndian.Uint64(sum[8:16]))
}

func appendInt(b []byte, v uint64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, 'i'), v)
}
