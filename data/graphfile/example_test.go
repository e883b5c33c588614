package graphfile_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/graphfile"
)

func Example() {
	dir, err := os.MkdirTemp("", "graph")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "trust.csv")
	if err := os.WriteFile(path, []byte("6,2,4,1289241911\n6,5,-2,1289241941\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}

	g, err := graphfile.Open(path, "", data.NewBudget(0))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer g.Close()
	fmt.Println(g.Format, g.Edges.Columns())
	for {
		row, err := g.Edges.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(g.Edges.Line(0), row)
	}
	// Output:
	// edge-list [source target weight time]
	// 1 [6 2 4 1289241911]
	// 2 [6 5 -2 1289241941]
}
