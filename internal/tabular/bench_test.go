package tabular

import (
	"fmt"
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
)

// benchData has 40 continuous columns, a quarter of them skewed, and 20 columns of two values: 720 inputs.
func benchData(rows int) Data {
	r := rng.Stream(1, "bench")
	const cols = 60
	block := func(n int) (Block, []int32) {
		x, class := make([]float32, n*cols), make([]int32, n)
		for i := range n {
			row := x[i*cols:][:cols]
			for j := range row {
				row[j] = float32(r.NormFloat64())
				switch {
				case j < 10:
					row[j] = float32(math.Exp(2 * float64(row[j])))
				case j >= 40:
					row[j] = max(min(float32(int(2*row[j])), 1), 0)
				}
			}
			if row[10]*row[11]+row[40]+float32(r.NormFloat64())/2 > 0 {
				class[i] = 1
			}
		}
		return Block{X: x, Cols: cols}, class
	}
	d := Data{}
	d.Static, d.Targets.Classes = block(rows)
	d.Valid.Static, d.ValidTargets.Classes = block(rows / 10)
	return d
}

// BenchmarkEpoch trains one epoch of 15,000 rows.
func BenchmarkEpoch(b *testing.B) {
	d := benchData(15_000)
	for _, members := range []int{1, 8} {
		b.Run(fmt.Sprintf("members=%d", members), func(b *testing.B) {
			t := benchTrainer(b, d, Config{Loss: CrossEntropy, Classes: 2, Members: members})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := t.epoch(b.Context(), 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPredict predicts 15,000 rows.
func BenchmarkPredict(b *testing.B) {
	d := benchData(15_000)
	t := benchTrainer(b, d, Config{Loss: CrossEntropy, Classes: 2})
	out := make([]float32, 2*15_000)
	for b.Loop() {
		if err := t.model.Predict(b.Context(), d.rows(0), out); err != nil {
			b.Fatal(err)
		}
	}
}

func benchTrainer(b *testing.B, d Data, c Config) *trainer {
	c = c.withDefaults()
	spec := c.shape()
	in, err := FitInputs(d.rows(0), nil, 0, 0)
	if err != nil {
		b.Fatal(err)
	}
	spec.Inputs = *in
	spec.Deviation = 1
	return newTrainer(d, c, spec)
}

// BenchmarkInputs computes the inputs of a batch of 468 rows.
func BenchmarkInputs(b *testing.B) {
	d := benchData(15_000)
	t := benchTrainer(b, d, Config{Loss: CrossEntropy, Classes: 2})
	for b.Loop() {
		tape := t.arena.Tape()
		t.model.expander.inputs(tape, t.pool, d.rows(0), t.order[:468])
		tape.Close()
	}
}
