package nodelink_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/ehgnn/ehgnn/data/nodelink"
)

// BenchmarkRead reads a graph of 200,000 edges, 21 MB.
func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	text.WriteString(`{"directed": true, "nodes": [{"id": 0, "element": "C", "charge": 0}`)
	for i := 1; i < 50000; i++ {
		fmt.Fprintf(&text, `, {"id": %d, "element": "C", "charge": %g}`, i, float64(i)*0.37)
	}
	text.WriteString(`], "edges": [{"source": 0, "target": 1}`)
	for i := range 200000 {
		fmt.Fprintf(&text, `, {"source": %d, "target": %d, "amount": %g, "kind": "transfer", "fraud": false}`, i%50000, i*7%50000, float64(i)*1.37)
	}
	text.WriteString(`]}`)
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := nodelink.Read(bytes.NewReader(text.Bytes()), "x.json", nodelink.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
