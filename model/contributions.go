package model

import (
	"context"
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/boost"
	"github.com/ehgnn/ehgnn/internal/lists"
)

// Contributions say how much each column of an edge adds to one of its outputs.
type Contributions struct {
	// Output is the output for the edge, a probability or a standardised number. Base is the output
	// if nothing is known about the edge. Both, and Parts, only include the learners whose outputs
	// can be divided among columns. Share is the weight of these learners in the mean.
	Base, Output, Share float64
	Parts               []float64 // of each column of EdgeRows
}

// Contributions returns for some predicted edges of a batch (Turns) how much each column
// contributes to output c. Trees give exact Shapley values, networks integrated gradients, and
// linear models the product of weight and deviation. For a class these are contributions to its
// log-odds, scaled so that their sum is the difference in probability. Networks that pass messages
// give none.
func (m *Auto) Contributions(ctx context.Context, b *graph.Batch, edges []int32, c, threads int) ([]Contributions, error) {
	rows := NewEdgeRows(b, m.Layout(), threads)
	at := lists.Places[int](edges)
	out, found := make([]Contributions, len(edges)), 0
	for _, t := range Turns(b, rows.Classes) {
		some := lists.Filter(t.Edges, func(e int32) bool { _, ok := at[e]; return ok })
		if len(some) == 0 {
			continue
		}
		found += len(some)
		all, err := rows.Block(ctx, t.Label, rows.Rows(some))
		if err != nil {
			return nil, err
		}
		for i := range all.Rows {
			row := Block{Rows: 1, Width: all.Width, Data: all.Data[i*all.Width:][:all.Width]}
			if err := m.contribute(&out[at[some[i%len(some)]]], row, c, float64(all.Rows/len(some))); err != nil {
				return nil, err
			}
		}
	}
	if found != len(at) {
		return nil, fmt.Errorf("model: auto: %d of %d edges are not predicted", len(at)-found, len(at))
	}
	return out, nil
}

// contribute adds the contributions of one row of an edge with of rows.
func (m *Auto) contribute(to *Contributions, row Block, c int, of float64) error {
	if to.Parts == nil {
		to.Parts = make([]float64, row.Width)
	}
	for k, l := range m.learners {
		weight := m.Config.Learners[k].Weight / of
		if weight == 0 || !divides(l) {
			continue
		}
		columns := m.Config.Learners[k].Columns
		parts, base, err := l.Contributions(row.Select(columns).Data, c)
		if err != nil {
			return err
		}
		sum := base
		for _, v := range parts {
			sum += v
		}
		scale, low, high := 1.0, base, sum
		if !m.Config.Number {
			link := logistic
			if _, ok := l.(*Network); ok {
				link = math.Exp
			}
			low, high = link(base), link(sum)
			if d := sum - base; d != 0 {
				scale = (high - low) / d
			}
		}
		to.Base += weight * low
		to.Output += weight * high
		to.Share += weight
		for i, v := range parts {
			to.Parts[columns[i]] += weight * scale * v
		}
	}
	return nil
}

// divides reports whether the outputs of a learner can be divided among columns. Those of a network
// that passes messages cannot.
func divides(l ColumnLearner) bool {
	n, ok := l.(*Network)
	return !ok || !n.readsNeighbours()
}

// Divides reports whether the outputs of at least one learner of the mean can be divided among
// columns.
func (m *Auto) Divides() bool {
	for k, l := range m.learners {
		if m.Config.Learners[k].Weight > 0 && divides(l) {
			return true
		}
	}
	return false
}

// DividesAll reports whether the outputs of all learners of the mean can be divided among columns.
func (m *Auto) DividesAll() bool {
	for k, l := range m.learners {
		if m.Config.Learners[k].Weight > 0 && !divides(l) {
			return false
		}
	}
	return len(m.learners) > 0
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Contributions returns exact Shapley values of the scores.
func (m *Trees) Contributions(row []float32, c int) (parts []float64, base float64, err error) {
	k, w := m.scores(), len(row)
	all, raw := make([]float64, k*w), make([]float32, k)
	if err := m.Model.Contributions(row, all); err != nil {
		return nil, 0, err
	}
	if err := m.Model.Predict(&boost.Matrix{Columns: w, Blocks: [][]float32{row}}, raw); err != nil {
		return nil, 0, err
	}
	scores, mean := make([]float64, k), make([]float64, k)
	for s := range scores {
		scores[s] = float64(raw[s])
		mean[s] = scores[s]
		for _, v := range all[s*w:][:w] {
			mean[s] -= v
		}
	}
	parts, base = outputParts(w, scores, mean, c, m.Classes, func(s, column int) float64 { return all[s*w+column] })
	return parts, base, nil
}

// Contributions returns the products of weights and standardised columns.
func (m *Linear) Contributions(row []float32, c int) (parts []float64, base float64, err error) {
	out := len(m.Bias)
	z := make([]float64, len(row))
	for column, v := range row {
		z[column] = m.standard(column, v)
	}
	part := func(s, column int) float64 { return z[column] * float64(m.Weight[column*out+s]) }
	scores, mean := make([]float64, out), make([]float64, out)
	for s := range scores {
		mean[s] = float64(m.Bias[s])
		scores[s] = mean[s]
		for column := range z {
			scores[s] += part(s, column)
		}
	}
	parts, base = outputParts(len(row), scores, mean, c, m.Classes, part)
	return parts, base, nil
}

// outputParts turns contributions to all scores into contributions to output c. Scores are numbers, the
// log-odds of the second of two classes, or logits of classes. With several classes, a contribution
// to the log-odds is the contribution to the class's own score, less the mean of the contributions
// to the other scores, weighted by their probabilities. This is a linear approximation. The
// remainder is spread in proportion to the magnitude of the parts.
func outputParts(columns int, scores, mean []float64, c int, classes bool, part func(s, column int) float64) (parts []float64, base float64) {
	parts = make([]float64, columns)
	switch {
	case !classes:
		base = mean[c]
		for column := range parts {
			parts[column] = part(c, column)
		}
	case len(scores) == 1:
		sign := float64(2*c - 1)
		base = sign * mean[0]
		for column := range parts {
			parts[column] = sign * part(0, column)
		}
	default:
		base = logOdds(mean, c)
		others := append([]float64(nil), scores...)
		others[c] = math.Inf(-1)
		softmax(others)
		sum, size := 0.0, 0.0
		for column := range parts {
			v := part(c, column)
			for s, p := range others {
				if s != c {
					v -= p * part(s, column)
				}
			}
			parts[column] = v
			sum, size = sum+v, size+math.Abs(v)
		}
		if size > 0 {
			rest := (logOdds(scores, c) - base - sum) / size
			for column, v := range parts {
				parts[column] += rest * math.Abs(v)
			}
		}
	}
	return parts, base
}

// logOdds returns the log-odds of class c from logits.
func logOdds(scores []float64, c int) float64 {
	most, sum := math.Inf(-1), 0.0
	for s, v := range scores {
		if s != c {
			most = max(most, v)
		}
	}
	for s, v := range scores {
		if s != c {
			sum += math.Exp(v - most)
		}
	}
	return scores[c] - most - math.Log(sum)
}

// Contributions returns integrated gradients of the logarithm of a probability, or of a number.
func (m *Network) Contributions(row []float32, c int) (parts []float64, base float64, err error) {
	x := m.rows(Block{Rows: 1, Width: len(row), Data: row})
	run := *m.Model
	run.Threads = 1
	flat, out := make([]float32, len(row)), make([]float32, run.Outputs())
	if err := run.Attribute(context.Background(), x, c, flat); err != nil {
		return nil, 0, err
	}
	if err := run.Predict(context.Background(), x, out); err != nil {
		return nil, 0, err
	}
	base = float64(out[c])
	for _, v := range flat {
		parts = append(parts, float64(v))
		base -= float64(v)
	}
	return parts, base, nil
}
