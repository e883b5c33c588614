package tabular_test

import (
	"context"
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/internal/tabular"
)

// A row has class 1 if its two columns have the same sign.
func Example() {
	rows := table(3000, 2, "example")
	part := func(from, to int) (b tabular.Block, t tabular.Targets) {
		b = tabular.Block{X: rows.X[from*2 : to*2], Cols: 2}
		return b, tabular.Targets{Classes: products(b)}
	}
	var d tabular.Data
	d.Static, d.Targets = part(0, 2000)
	d.Valid.Static, d.ValidTargets = part(2000, 3000)
	m, err := tabular.Train(context.Background(), d, tabular.Config{Loss: tabular.CrossEntropy, Classes: 2, MaxEpochs: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	two := tabular.Rows{Static: tabular.Block{X: []float32{1, 1, 1, -1}, Cols: 2}}
	out := make([]float32, 2*m.Outputs())
	if err := m.Predict(context.Background(), two, out); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(math.Exp(float64(out[1])) > 0.9, math.Exp(float64(out[3])) > 0.9)
	// Output: true false
}
