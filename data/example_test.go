package data_test

import (
	"fmt"
	"log"

	"github.com/ehgnn/ehgnn/data"
)

func ExampleOpen() {
	// Rings (label 1) and paths (label -1) of three to five nodes, in the TU
	// layout; a zip of the folder reads the same.
	set, err := data.Open("testdata/TOY", data.Options{})
	if err != nil {
		log.Fatal(err)
	}
	info := set.Info
	fmt.Printf("%s: %d graphs, classes %v, %.1f nodes and %.1f edges on average\n",
		info.Name, info.NumGraphs, info.ClassNames, info.MeanNodes, info.MeanEdges)
	g := set.Graphs[0]
	fmt.Println("edges", g.Ends, "of types", g.EdgeLabel, "class", info.ClassNames[g.Label])

	train, valid, test, err := set.Fold(1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("fold 1:", train, valid, test)
	// Output:
	// TOY: 10 graphs, classes [-1 1], 3.9 nodes and 3.4 edges on average
	// edges [0 1 0 2 1 2] of types [0 0 1] class 1
	// fold 1: [1 2 3 4 5 6 7 8] [9] [0]
}

func ExampleStratifiedSplit() {
	labels := []int32{0, 0, 0, 0, 0, 0, 1, 1, 1, 1}
	train, valid, test, err := data.StratifiedSplit(labels, [3]float64{0.6, 0.2, 0.2}, 42)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(train, valid, test)
	// Output: [0 1 3 4 6 9] [2 7] [5 8]
}
