package store

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
)

// fuzz runs a parser of a file format. The parser may return an error, and must not take more
// memory than the input allows. If it reads a value, writing the value gives the same bytes.
func fuzz[T any](f *testing.F, decode func(io.Reader, int64) (T, error), encode func(io.Writer, T) error, seeds ...T) {
	for _, v := range seeds {
		var b bytes.Buffer
		if err := encode(&b, v); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
		f.Add(b.Bytes()[:b.Len()/2])
		bad := bytes.Clone(b.Bytes())
		copy(bad[8:], bytes.Repeat([]byte{0xff, 0xff, 0xff, 0x7f}, 7)) // a header with the largest numbers
		f.Add(bad)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		v, err := decode(bytes.NewReader(b), int64(len(b)))
		runtime.ReadMemStats(&after)
		if took, most := after.TotalAlloc-before.TotalAlloc, uint64(64*len(b)+1<<20); took > most {
			t.Fatalf("%d bytes took %d, expected at most %d", len(b), took, most)
		}
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := encode(&again, v); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b, again.Bytes()) {
			t.Fatalf("%x is written as %x", b, again.Bytes())
		}
	})
}

// FuzzManifest opens a store with an arbitrary manifest.
func FuzzManifest(f *testing.F) {
	good := Manifest{Version: version, Nodes: 3, Edges: 5, BlockEdges: 4, Blocks: 2, Parts: []int{1, 2}, Met: 4, MostEntries: 3, Encoder: &tables.Encoder{},
		Files: map[string]*File{blockName(0): {}, namesName(0): {}, blockName(1): {}, namesName(1): {}, partName(0): {}, partName(1): {}}}
	b, err := json.Marshal(good)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(bytes.ReplaceAll(b, []byte(`"edges":5`), []byte(`"edges":4000000000000`)))
	f.Add(b[:len(b)/2])
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := OpenFS(fstest.MapFS{manifestName: {Data: b}}, "store")
		if err != nil {
			if !strings.Contains(err.Error(), "store/"+manifestName) {
				t.Errorf("the error is %v", err)
			}
			return
		}
		s.Manifest.EdgeLayout()
		s.Manifest.NodeLayout()
		s.Manifest.Needs(32)
		if _, err := s.Block(context.Background(), 0); err == nil {
			t.Error("there is a block")
		}
	})
}

func FuzzBlock(f *testing.F) {
	fuzz(f, func(r io.Reader, size int64) (*Block, error) { return decodeBlock(context.Background(), r, size) }, encodeBlock,
		&Block{Index: 1, First: 2, Ends: []int32{0, 1, 1, 1}, PartPtr: []int32{0, 1, 1, 2}, Rank: []int32{4, 0},
			Edge:  graph.Features{Dense: []float32{1, 2, 3, 4}, Dim: 2, Code: []int32{0, -1}, Codes: []int{3}},
			Class: []int32{0, -1}, Part: []uint8{InTrain, InNone}},
		&Block{First: 0, Ends: []int32{0, 0}, PartPtr: []int32{0, 1}, Rank: []int32{0}, Edge: graph.Ones(1), Number: []float32{2.5}})
}

type names struct {
	index int
	ids   []string
}

func FuzzNames(f *testing.F) {
	fuzz(f, func(r io.Reader, size int64) (n names, err error) {
		n.index, n.ids, err = decodeNames(context.Background(), r, size)
		return n, err
	}, func(w io.Writer, n names) error { return encodeNames(w, n.index, n.ids) },
		names{3, []string{"a", "", "ü"}}, names{})
}

func FuzzPart(f *testing.F) {
	fuzz(f, func(r io.Reader, size int64) (*Part, error) { return decodePart(context.Background(), r, size) }, encodePart,
		&Part{Index: 2, IDs: []string{"", "a", "b"}, Node: graph.Ones(3)},
		&Part{IDs: []string{"x"}, Node: graph.Features{Dense: []float32{1}, Dim: 1}})
}
