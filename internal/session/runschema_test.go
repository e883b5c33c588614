package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/ehgnn/ehgnn/internal/safetensors"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// A run describes its inputs and outputs in a file of its own and in the weights.
func TestRunSchema(t *testing.T) {
	for name, test := range map[string]struct {
		r    Request
		want runSchema
	}{
		"collection": {Request{Path: foldSet(t, "SET", 20), Model: "hyperdrop", Given: quick()}, runSchema{Task: "graph-classification", Items: settings.Graphs, Classes: []string{"0", "1"},
			Nodes: []settings.Field{{Name: "label", Kind: settings.KindCode, Width: 3, Offset: 1}}, Edges: []settings.Field{{Name: "label", Kind: settings.KindCode, Width: 3, Offset: 1}}}},
		"nodes": {Request{Path: tinyNodes, Given: quick()}, runSchema{Task: "node-classification", Items: settings.Nodes,
			NumNodes: quantiles{90, 90, 90, 90, 90, 90}}},
	} {
		dir, _ := trained(t, test.r)
		text, err := os.ReadFile(filepath.Join(dir, schemaFile))
		if err != nil {
			t.Fatal(err)
		}
		f, err := safetensors.ReadFile(filepath.Join(dir, ModelFile))
		if err != nil {
			t.Fatal(err)
		}
		var got, inWeights runSchema
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(f.Metadata[schemaKey]), &inWeights); err != nil || !reflect.DeepEqual(got, inWeights) {
			t.Errorf("%s: %v; the weights have %+v, the file %+v", name, err, inWeights, got)
		}
		if q := got.NumNodes; !(0 < q.Min && q.Min <= q.Q1 && q.Q1 <= q.Median && q.Median <= q.Q3 && q.Q3 <= q.Q99 && q.Q99 <= q.Max) {
			t.Errorf("%s: quantiles %+v", name, q)
		}
		if test.want.Nodes == nil { // 32 columns of words
			test.want.Nodes, test.want.Edges = got.Nodes, got.Edges
		}
		if test.want.NumNodes == (quantiles{}) {
			test.want.NumNodes = got.NumNodes
		}
		test.want.NumEdges = got.NumEdges
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

// The 99 % quantile is the smallest size that at least 99 of 100 graphs do not exceed.
func TestQuantiles(t *testing.T) {
	var hundred, more []int
	for n := range 101 {
		if n > 0 {
			hundred = append(hundred, n)
		}
		more = append(more, n*n)
	}
	for want, sizes := range map[quantiles][]int{
		{7, 7, 7, 7, 7, 7}:                   {7},
		{1, 1, 1, 1, 9, 9}:                   {9, 1},
		{1, 25, 50, 75, 99, 100}:             hundred,
		{0, 625, 2500, 5625, 99 * 99, 10000}: more,
	} {
		if got := quantilesOf(sizes); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}
