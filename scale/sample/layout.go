package sample

import (
	"encoding/binary"
	"math"

	"github.com/ehgnn/ehgnn/graph"
)

// columns is the layout of features. A row in a file has the numbers and then the codes.
type columns struct {
	Dim   int   `json:"dim"`
	Codes []int `json:"codes"`
}

func columnsOf(f graph.Features) columns { return columns{f.Dim, f.Codes} }

func (c columns) bytes() int { return 4 * (c.Dim + len(c.Codes)) }

// put appends row i.
func (c columns) put(to []byte, f graph.Features, i int) []byte {
	for _, v := range f.Dense[i*c.Dim : (i+1)*c.Dim] {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(v))
	}
	k := len(c.Codes)
	for _, v := range f.Code[i*k : (i+1)*k] {
		to = binary.LittleEndian.AppendUint32(to, uint32(v))
	}
	return to
}

// features reads n rows, which begin at byte at and are width bytes apart.
func (c columns) features(b []byte, n, width, at int) graph.Features {
	f := graph.Features{Dim: c.Dim, Codes: c.Codes, Dense: make([]float32, 0, n*c.Dim), Code: make([]int32, 0, n*len(c.Codes))}
	for i := range n {
		row := b[i*width+at:]
		for range c.Dim {
			f.Dense = append(f.Dense, math.Float32frombits(binary.LittleEndian.Uint32(row)))
			row = row[4:]
		}
		for range c.Codes {
			f.Code = append(f.Code, int32(binary.LittleEndian.Uint32(row)))
			row = row[4:]
		}
	}
	return f
}

// The beginning of an edge's row: the numbers of its nodes, and its class or number as 32 bits.
const (
	endBytes  = 8
	labelAt   = 2 * endBytes
	edgeBytes = labelAt + 4
)

// unknown is the label of an edge that is not trained on.
const unknown = math.MaxUint32

// none returns features of these columns without rows.
func (c columns) none() graph.Features { return graph.Features{Dim: c.Dim, Codes: c.Codes} }
