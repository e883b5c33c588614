package report_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ehgnn/ehgnn/internal/report"
)

func ExampleWriteTable() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "edges.csv")
	err = report.WriteTable(path, &report.Table{Columns: []report.Column{
		report.Strings("graph", []string{"g0", "g0"}),
		report.Ints("source", []int32{0, 1}),
		report.Ints("target", []int32{1, 2}),
		report.Vectors("edge", []float32{0.5, -1, 0.25, 2}, 2),
	}})
	if err != nil {
		panic(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	fmt.Print(string(b))
	// Output:
	// graph,source,target,edge_0,edge_1
	// g0,0,1,0.5,-1
	// g0,1,2,0.25,2
}
