package model_test

import (
	"fmt"
	"log"

	"github.com/ehgnn/ehgnn/data/synth"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/model"
	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/tensor"
)

// A model from the registry, with settings of its own, predicts the classes of graphs.
func Example() {
	graphs, err := synth.EdgeClass(4, 1)
	if err != nil {
		log.Fatal(err)
	}
	batch, err := graph.Collate(graphs)
	if err != nil {
		log.Fatal(err)
	}
	spec, err := model.Find("hyperdrop")
	if err != nil {
		log.Fatal(err)
	}
	c := spec.Config()
	c.Dims = model.Dims{Node: graphs[0].Node.Width(), Edge: graphs[0].Edge.Width(), Out: 2}
	c.Seed = 42
	c.Default("hidden", 16)
	c.Default("layers", 3)
	c.Default("ratio", 0.8)
	// Any setting may also be changed in the typed config.
	c.Parts[0].(*model.HyperDropConfig).Conv = "sage"

	m, err := spec.New(c)
	if err != nil {
		log.Fatal(err)
	}
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	out := m.Forward(&nn.Pass{Tape: tape}, batch)
	fmt.Println("logits", out.Graph.Shape(), "vectors of graphs", out.GraphVec.Shape())
	fmt.Println("reads heads:", c.Reads("heads"))
	fmt.Println(spec.Options())
	// Output:
	// logits [4 2] vectors of graphs [4 48]
	// reads heads: false
	// [hidden layers dropout conv edge-hidden edge-conv edge-init score virtual-node ratio]
}
