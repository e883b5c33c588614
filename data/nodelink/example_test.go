package nodelink_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/ehgnn/ehgnn/data/nodelink"
)

// Molecules with a label each are encoded by what the training molecules have, and so
// is a new one.
func Example() {
	const training = `{"graph": {"label": "toxic"}, "nodes": [{"id": 0, "element": "C"}, {"id": 1, "element": "O"}], "edges": [{"source": 0, "target": 1}]}
{"graph": {"label": "safe"}, "nodes": [{"id": 0, "element": "C"}], "edges": []}`
	set, err := nodelink.Read(strings.NewReader(training), "molecules.jsonl", nodelink.Options{})
	if err != nil {
		log.Fatal(err)
	}
	encoder, err := set.FitGraphs([]int{0, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(set.Level, encoder.Classes, encoder.Nodes[0].Values)

	const fresh = `{"nodes": [{"id": "a", "element": "N"}, {"id": "b", "element": "C"}], "edges": [{"source": "a", "target": "b"}]}`
	options := nodelink.OptionsFor(encoder)
	for document, err := range nodelink.Documents(strings.NewReader(fresh), "new", options) {
		if err != nil {
			log.Fatal(err)
		}
		set, err := nodelink.Join("new", []*nodelink.Document{document}, options)
		if err != nil {
			log.Fatal(err)
		}
		graphs, unseen, err := set.Graphs(encoder)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(graphs[0].NumNodes, graphs[0].Node.Code, unseen[0].Column, unseen[0].Example)
	}
	// Output:
	// graph [safe toxic] [C O]
	// 2 [-1 0] element N
}
