package ehgnn_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/internal/links/run"
	"github.com/ehgnn/ehgnn/internal/links/score"
)

// trainLinks trains a small run of link prediction.
func trainLinks(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("source,target\n")
	for u := range 20 {
		for k := 1; k <= 3; k++ {
			fmt.Fprintf(&b, "u%d,i%d\n", u, (u*k)%13)
		}
	}
	file, dir := filepath.Join(t.TempDir(), "edges.csv"), filepath.Join(t.TempDir(), "shop")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &run.Settings{Version: 1, Data: file, Split: run.ByRandom, Fractions: [3]float64{0.6, 0.2, 0.2}, Model: run.Trees, Select: score.Lists}
	s.GAE.Width, s.GAE.Layers, s.GAE.MLP = 1, 1, 1
	d, err := run.Read(t.Context(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Train(t.Context(), s, d, run.Options{Dir: dir, Forms: []string{score.Uniform}}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A list has the scores of its pairs.
func TestOpenLinks(t *testing.T) {
	l, err := ehgnn.OpenLinks(t.Context(), trainLinks(t), ehgnn.LinkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := l.Recommend(t.Context(), ehgnn.Query{For: []string{"u3"}, Top: 4})
	if err != nil || len(list) != 4 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, x := range list {
		scored, err := l.Score(t.Context(), [][2]string{{"u3", x.Target}})
		if err != nil || scored[0].Score != x.Score || scored[0].Known {
			t.Errorf("the pair of %+v has %+v, %v", x, scored, err)
		}
	}
	if _, err := ehgnn.OpenLinks(t.Context(), t.TempDir(), ehgnn.LinkOptions{}); err == nil {
		t.Error("a folder without a run is opened")
	}
}

func ExampleOpenLinks() {
	ctx := context.Background()
	l, err := ehgnn.OpenLinks(ctx, "runs/shop", ehgnn.LinkOptions{})
	if err != nil {
		log.Fatal(err)
	}
	list, err := l.Recommend(ctx, ehgnn.Query{For: []string{"17"}, Top: 10})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range list {
		fmt.Println(r.Rank, r.Target, r.Score)
	}
}
