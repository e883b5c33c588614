package structure_test

import (
	"fmt"

	"github.com/ehgnn/ehgnn/graph/structure"
)

// A triangle of payments and one back: what tells the edges apart.
func Example() {
	ends := []int32{0, 1, 1, 2, 2, 0, 1, 0}
	g, err := structure.New(3, ends, true, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	names := []string{"reverse", "source_reciprocity", "common_in_out"}
	rows, err := g.Columns(names, structure.Pairs{Ends: ends})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("edge", names)
	for e := range len(ends) / 2 {
		fmt.Printf("%d-%d %.2f\n", ends[2*e], ends[2*e+1], rows[e*len(names):][:len(names)])
	}
	// Output:
	// edge [reverse source_reciprocity common_in_out]
	// 0-1 [1.00 0.50 0.69]
	// 1-2 [0.00 0.50 0.69]
	// 2-0 [0.00 0.00 0.69]
	// 1-0 [1.00 0.50 0.00]
}
