package visit

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The encoding of sums from a block to a part, little-endian: a header of six 32-bit numbers
// (block, part, width, shift, number of nodes with several ends, number of nodes with one end); the
// ranks and counts and then the sums of the nodes with several ends; the ranks and then the
// messages, in float32, of the nodes with one end. Float32 is exact for these, because fixed point
// has only removed bits.
const headNumbers = 6

// AppendBinary appends the encoding of sums with a shift.
func (s *Sums) AppendBinary(b []byte, shift int) []byte {
	once := 0
	for _, c := range s.Count {
		if c == 1 {
			once++
		}
	}
	for _, v := range []int{s.Block, s.Part, s.Width, shift, len(s.Rank) - once, once} {
		b = binary.LittleEndian.AppendUint32(b, uint32(int32(v)))
	}
	for k, r := range s.Rank {
		if s.Count[k] != 1 {
			b = binary.LittleEndian.AppendUint32(b, uint32(r))
			b = binary.LittleEndian.AppendUint32(b, uint32(s.Count[k]))
		}
	}
	for k, c := range s.Count {
		if c != 1 {
			for _, v := range s.Value[k*s.Width:][:s.Width] {
				b = binary.LittleEndian.AppendUint64(b, uint64(v))
			}
		}
	}
	for k, r := range s.Rank {
		if s.Count[k] == 1 {
			b = binary.LittleEndian.AppendUint32(b, uint32(r))
		}
	}
	unit := math.Ldexp(1, -shift)
	for k, c := range s.Count {
		if c == 1 {
			for _, v := range s.Value[k*s.Width:][:s.Width] {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(float64(v)*unit)))
			}
		}
	}
	return b
}

// DecodeSums reads encoded sums and returns them with their shift. Nodes with several ends come
// first. Ranks are ascending within both lists.
func DecodeSums(b []byte) (s *Sums, shift int, err error) {
	if len(b) < 4*headNumbers {
		return nil, 0, fmt.Errorf("visit: sums of %d bytes, expected a head of %d", len(b), 4*headNumbers)
	}
	var head [headNumbers]int
	for i := range head {
		head[i] = int(int32(binary.LittleEndian.Uint32(b[4*i:])))
	}
	b = b[4*headNumbers:]
	s = &Sums{Block: head[0], Part: head[1], Width: head[2]}
	shift = head[3]
	more, once := head[4], head[5]
	if s.Width < 0 || more < 0 || once < 0 || int64(more)*int64(8+8*s.Width)+int64(once)*int64(4+4*s.Width) != int64(len(b)) {
		return nil, 0, fmt.Errorf("visit: sums of block %d for part %d: %d and %d nodes of width %d do not fill %d bytes", s.Block, s.Part, more, once, s.Width, len(b))
	}
	n := more + once
	s.Rank, s.Count, s.Value = make([]int32, n), make([]int32, n), make([]int64, n*s.Width)
	for k := range more {
		s.Rank[k] = int32(binary.LittleEndian.Uint32(b[8*k:]))
		s.Count[k] = int32(binary.LittleEndian.Uint32(b[8*k+4:]))
	}
	b = b[8*more:]
	for i := range more * s.Width {
		s.Value[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	b = b[8*more*s.Width:]
	for k := range once {
		s.Rank[more+k], s.Count[more+k] = int32(binary.LittleEndian.Uint32(b[4*k:])), 1
	}
	b = b[4*once:]
	scale := math.Ldexp(1, shift)
	for i, rest := 0, s.Value[more*s.Width:]; i < len(rest); i++ {
		rest[i] = int64(float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))) * scale)
	}
	return s, shift, nil
}
