// Command columns writes what ehgnn reads of each edge of a table (features of edges, standardised,
// and structure columns), so that other programs can be given the same:
//
//	go run ./bench/peer/columns -data bitcoin_alpha -ignore rating,time -out DIR
//
// DIR gets train.npy, valid.npy and test.npy: a row for each edge that the model sees for the part,
// in the order of the table.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/session"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/source"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "columns:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	data, out := flag.String("data", "", "table of edges"), flag.String("out", ".", "folder to write to")
	number := flag.Bool("number", false, "labels are numbers")
	undirected := flag.Bool("undirected", false, "edges have no direction")
	transductive := flag.Bool("transductive", false, "training sees that held-out edges exist")
	structure := flag.String("structure", "all", "groups of structure columns")
	ignore := flag.String("ignore", "", "columns not to read, by commas")
	flag.Parse()
	given := settings.Values{"part": "part", "label-context": "off", "transductive": *transductive, "structure": strings.Split(*structure, ",")}
	if *ignore != "" {
		given["ignore"] = strings.Split(*ignore, ",")
	}
	if *undirected {
		given["edges"] = "undirected"
	}
	r := session.Request{Path: *data, Task: "edge-classification", Given: given}
	if *number {
		r.Task = "edge-regression"
	}
	s, err := session.Open(ctx, r)
	if err != nil {
		return err
	}
	for _, part := range []string{source.PartTrain, source.PartValid, source.PartTest} {
		g := s.Graphs(part)[0]
		rows, width := make([]float32, g.NumEdges()*g.Edge.Width()), g.Edge.Width()
		for i := range g.NumEdges() {
			g.Edge.Row(i, rows[i*width:][:width])
		}
		t := &report.Table{Columns: []report.Column{report.Vectors("vector", rows, width)}}
		if err := report.WriteTable(filepath.Join(*out, part+".npy"), t); err != nil {
			return err
		}
	}
	return nil
}
