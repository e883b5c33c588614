// Command molecules learns from graphs in memory which small molecules have a double bond to oxygen.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/ehgnn/ehgnn"
)

// chain is a chain of carbon atoms with an oxygen atom at its end.
func chain(carbons int, bond string) *ehgnn.Graph {
	g := &ehgnn.Graph{NumNodes: carbons + 1}
	var atoms, bonds ehgnn.Strings
	for i := range int32(carbons) {
		g.Ends, atoms, bonds = append(g.Ends, i, i+1), append(atoms, "C"), append(bonds, "single")
	}
	bonds[carbons-1] = bond
	g.Node, g.Edge = ehgnn.Columns{"atom": append(atoms, "O")}, ehgnn.Columns{"bond": bonds}
	return g
}

func main() {
	ctx := context.Background()
	var set ehgnn.GraphSet
	for i := range 120 {
		set = append(set, ehgnn.LabelledGraph{Graph: chain(2+i%8, "single"), Label: "alcohol"}, ehgnn.LabelledGraph{Graph: chain(2+i%8, "double"), Label: "aldehyde"})
	}
	m, err := ehgnn.Train(ctx, set, ehgnn.TrainOptions{Settings: map[string]any{"epochs": 40, "hidden": 16, "lr": 0.01, "constant-lr": true, "dropout": 0}})
	if err != nil {
		log.Fatal(err)
	}
	ps, err := m.Predict(ctx, chain(12, "single"), chain(12, "double"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ps[0].Class, ps[1].Class)
}
