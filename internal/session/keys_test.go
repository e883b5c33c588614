package session

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
	"github.com/ehgnn/ehgnn/internal/testsets"
)

// visits are rows of a table with columns that identify them. One of these columns has the name of
// a result column.
func visits(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "v-%04d,%d,%d,%d,%g,%s,e%d\n", i, i, i%8, (i*5+1)%8, float64(i*11%40)/4, []string{"in", "out"}[i*11%40/20], 7*i)
	}
	return b.String()
}

// A column that identifies rows is in the predictions, after the ends of each edge, for new data and
// for data scored with a context, and in the table of vectors.
func TestKeys(t *testing.T) {
	const header = "visit,id,source,target,fee,label,row\n"
	path := testsets.EdgeFolder(t, "edges.csv", header+visits(0, 90))
	dir, _ := trained(t, Request{Path: path, Given: quick().Over(settings.Values{"hidden": 8})})
	data := testsets.EdgeFolder(t, "edges.csv", header+visits(90, 96))
	for name, o := range map[string]source.LoadOptions{"alone": {Data: data}, "with a context": {Data: data, Context: path}, "own context": {Data: data, Context: source.ContextTraining}} {
		o.Threads = 1
		s, err := Load(t.Context(), dir, o)
		if err != nil {
			t.Fatal(err)
		}
		table, err := s.Predict(t.Context(), source.PartAll)
		if err != nil {
			t.Fatal(err)
		}
		vectors, err := s.Embed(t.Context(), source.PartAll, settings.Edges)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []*report.Table{table, vectors} {
			var names []string
			for _, c := range x.Columns[:6] {
				names = append(names, c.Name)
			}
			if want := []string{"edge", "source", "target", "visit", "id", "row.1"}; !slices.Equal(names, want) {
				t.Errorf("%s: the columns are %q, want %q", name, names, want)
			}
			for k, want := range []string{"v-0090 v-0091 v-0092 v-0093 v-0094 v-0095", "90 91 92 93 94 95", "e630 e637 e644 e651 e658 e665"} {
				if got := strings.Join(x.Columns[3+k].Texts(), " "); got != want {
					t.Errorf("%s: column %s is %s, want %s", name, names[3+k], got, want)
				}
			}
		}
	}
	// The predictions written by the training have these columns, too, and equal predictions that are made again.
	s, err := Load(t.Context(), dir, source.LoadOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.Predict(context.Background(), source.PartTest)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := report.WriteCSV(&text, again); err != nil {
		t.Fatal(err)
	}
	if written := testsets.Contents(t, dir, PredictionsFile); written != text.String() || !strings.HasPrefix(written, "edge,source,target,visit,id,row.1,label,") {
		t.Errorf("the training wrote %.200s, again %.200s", written, text.String())
	}
}
