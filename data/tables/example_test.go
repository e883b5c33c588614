package tables_test

import (
	"fmt"
	"testing/fstest"

	"github.com/ehgnn/ehgnn/data/tables"
)

// Three payments are read. The first two train, and the third is encoded in the same way.
func Example() {
	files := fstest.MapFS{"edges.csv": {Data: []byte("source,target,amount,channel,label\na,b,10,card,ok\nb,c,30,cash,ok\na,c,50,card,fraud\n")}}
	s, err := tables.Read(files, "payments", tables.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := s.Fit([]int{0, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range e.Edges {
		fmt.Println(f.Name, f.Numeric(), f.Mean, f.Scale, f.Values)
	}
	in, err := s.Whole(e, tables.InputOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(in.Graph.EdgeLabel, in.Unseen)
	// Output:
	// amount true 20 10 []
	// channel false 0 0 [card cash]
	// [0 0 -1] [column "label" of 1 edges has a class that training has not seen; scores leave them out; the first is "fraud", expected one of ["ok"]]
}
