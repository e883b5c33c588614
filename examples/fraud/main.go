// Command fraud learns which payments of a table in memory are fraud, and looks at a new one.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/ehgnn/ehgnn"
)

func main() {
	r := rand.New(rand.NewPCG(7, 7))
	id, days := make([]int, 200), make([]float64, 200) // accounts and their age
	for v := range id {
		id[v], days[v] = v, 1000*r.Float64()
	}
	const n = 3000 // payments: large ones to young accounts are fraud
	payer, payee, amount, label := make([]int, n), make([]int, n), make([]float64, n), make([]string, n)
	for i := range n {
		payer[i], payee[i], amount[i], label[i] = r.IntN(200), r.IntN(200), 10*r.ExpFloat64(), "fine"
		if days[payee[i]] < 150 && amount[i] > 5 {
			label[i] = "fraud"
		}
	}
	m, err := ehgnn.Train(context.Background(), &ehgnn.Table{
		Nodes: []ehgnn.Column{{Name: "id", Values: id}, {Name: "days", Values: days}},
		Edges: []ehgnn.Column{{Name: "payer", Values: payer}, {Name: "payee", Values: payee}, {Name: "amount", Values: amount}, {Name: "label", Values: label}},
	}, ehgnn.TrainOptions{Settings: map[string]any{"epochs": 100, "structure": "none"}})
	if err != nil {
		log.Fatal(err)
	}
	auc, _ := m.Result().Test.Get("roc_auc")
	ps, err := m.Predict(context.Background(), &ehgnn.Graph{NumNodes: 2, Ends: []int32{0, 1},
		Node: ehgnn.Columns{"days": ehgnn.Numbers{400, 20}}, Edge: ehgnn.Columns{"amount": ehgnn.Numbers{40}}})
	fmt.Printf("ROC-AUC of the test payments: %.3f; a new payment: %v, error %v\n", auc, ps[0].Edges[0].Class, err)
}
