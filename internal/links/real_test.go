package links

import (
	"compress/gzip"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/realdata"
)

// readCSV returns the rows of a table without its header.
func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		r = csv.NewReader(z)
	}
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// The hard negatives of both ends of Cora's test pairs equal those of the reference program.
func TestHardNegativesOfCora(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	dir := filepath.Join(realdata.Dir(t), "links", "cora")
	table := Table{Kind: Undirected}
	at := map[string]int32{}
	words := map[string][]int32{}
	for _, row := range readCSV(t, filepath.Join(dir, "words.csv")) {
		at[row[0]] = int32(len(table.IDs))
		table.IDs = append(table.IDs, row[0])
		for w := range strings.FieldsSeq(row[1]) {
			k, _ := strconv.Atoi(w)
			words[row[0]] = append(words[row[0]], int32(k))
		}
	}
	for _, row := range readCSV(t, filepath.Join(dir, "edges.csv")) {
		table.Ends = append(table.Ends, at[row[0]], at[row[1]])
		table.Part = append(table.Part, int8(slices.Index([]string{"train", "valid", "test"}, row[2])))
	}
	d, err := NewData(table)
	if err != nil {
		t.Fatal(err)
	}
	s, err := SplitColumn(d)
	if err != nil {
		t.Fatal(err)
	}
	ones := make([]float64, 1433)
	for i := range ones {
		ones[i] = 1
	}
	f := NewFeatures(d.Nodes(), 1433, func(v int32) ([]int32, []float64) { return words[d.IDs[v]], ones[:len(words[d.IDs[v]])] })
	h := NewHard(d, NewKnown(d), NewColumns(NewGraph(d, s.Of(Train)), f).NewWorker(), 0)
	rows, wrong := readCSV(t, filepath.Join(dir, "hard_seed0.csv.gz")), 0
	for _, row := range rows {
		list, hard := h.List(d.Place[at[row[0]]], false, 250)
		ids := make([]string, len(list))
		for i, v := range list {
			ids[i] = d.IDs[v]
		}
		if strings.Join(ids, " ") != row[2] || strconv.Itoa(hard) != row[1] {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d lists differ", wrong, len(rows))
	}
}
