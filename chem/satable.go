package chem

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"io"
	"math"
	"slices"
	"sync"
)

// The table of fragments is that of RDKit (Contrib/SA_Score/fpscores.pkl.gz, Copyright (c)
// 2013 Novartis Institutes for BioMedical Research, BSD 3-clause; see docs/chemistry.md),
// 705,292 identifiers in 3,549 groups of equal value, written by _gen/satable.go: the number
// of groups and their values, the number of identifiers and their ascending differences as
// varints, then the group of each in two bytes.
//
//go:generate go run _gen/satable.go /usr/share/RDKit/Contrib/SA_Score/fpscores.pkl.gz fpscores.bin.gz
//go:embed fpscores.bin.gz
var packedFragments []byte

// fragments is the table: ascending identifiers, and the group of each.
type fragments struct {
	ids    []uint32
	groups []uint16
	values []float64
}

// absentFragment is the value of a fragment that is not in the table.
const absentFragment = -4

// value returns the value of a fragment.
func (t *fragments) value(id uint32) float64 {
	if i, found := slices.BinarySearch(t.ids, id); found {
		return t.values[t.groups[i]]
	}
	return absentFragment
}

// fragmentTable reads the table when it is first needed. It panics if the embedded table is
// damaged, because no score can then be computed.
var fragmentTable = sync.OnceValue(func() *fragments {
	unpacked, err := gzip.NewReader(bytes.NewReader(packedFragments))
	if err != nil {
		panic("chem: table of fragments: " + err.Error())
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		panic("chem: table of fragments: " + err.Error())
	}
	return readFragments(data)
})

func readFragments(data []byte) *fragments {
	next := func() uint64 {
		v, n := binary.Uvarint(data)
		data = data[n:]
		return v
	}
	t := &fragments{values: make([]float64, next())}
	for i := range t.values {
		t.values[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	data = data[8*len(t.values):]
	n := int(next())
	t.ids, t.groups = make([]uint32, n), make([]uint16, n)
	id := uint32(0)
	for i := range t.ids {
		id += uint32(next())
		t.ids[i] = id
	}
	for i := range t.groups {
		t.groups[i] = binary.LittleEndian.Uint16(data[2*i:])
	}
	return t
}
