package model

import (
	"context"
	"fmt"
	"math"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/boost"
)

// A ColumnExplainer is a learner that says what each column contributes to an output.
type ColumnExplainer interface {
	// Contributions writes to parts [rows,columns] what each column adds to output c of a row: to the logarithm of a
	// class's odds or probability, or to a number. The contributions of a row sum to its output less that of a row
	// of which nothing is known, which goes to base.
	Contributions(x Block, c int, parts []float64, base []float64) error
}

// Contributions say what the columns of an edge add to one of its outputs.
type Contributions struct {
	// Base is the output of the learners where nothing is known, and Output that of the edge: a probability or a standardised
	// number. Both and Parts are of the learners that can say what columns contribute, whose share of the mean is Share.
	Base, Output, Share float64
	Parts               []float64 // of each column of EdgeRows
}

// Contributions says for some edges of a batch that are predicted (Turns) what each column contributes to output c. Trees
// give exact Shapley values, networks integrated gradients, linear models the product of weight and deviation. Of a class they are of its
// log-odds, and scaled so that they sum to the difference in probability. Networks that pass messages give none.
func (m *Auto) Contributions(ctx context.Context, b *graph.Batch, edges []int32, c, threads int) ([]Contributions, error) {
	rows := NewEdgeRows(b, m.Layout(), threads)
	at := map[int32]int{}
	for i, e := range edges {
		at[e] = i
	}
	out, found := make([]Contributions, len(edges)), 0
	for _, t := range Turns(b, rows.Classes) {
		var some []int32
		for _, e := range t.Edges {
			if _, ok := at[e]; ok {
				some = append(some, e)
			}
		}
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

// contribute adds one of some rows of an edge.
func (m *Auto) contribute(to *Contributions, row Block, c int, of float64) error {
	if to.Parts == nil {
		to.Parts = make([]float64, row.Width)
	}
	for k, l := range m.learners {
		weight := m.Config.Learners[k].Weight / of
		e, ok := l.(ColumnExplainer)
		if _, placed := l.(PlacedLearner); !ok || placed || weight == 0 {
			continue
		}
		columns := m.Config.Learners[k].Columns
		parts, base := make([]float64, len(columns)), make([]float64, 1)
		if err := e.Contributions(row.Select(columns), c, parts, base); err != nil {
			return err
		}
		sum := base[0]
		for _, v := range parts {
			sum += v
		}
		scale, low, high := 1.0, base[0], sum
		if !m.Config.Number {
			link := logistic
			if _, ok := l.(*Network); ok {
				link = math.Exp
			}
			low, high = link(base[0]), link(sum)
			if d := sum - base[0]; d != 0 {
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

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Contributions are exact Shapley values of the scores.
func (m *Trees) Contributions(x Block, c int, parts, base []float64) error {
	k := m.scores()
	all := make([]float64, k*x.Width)
	raw := make([]float32, k)
	for i := range x.Rows {
		row := x.Data[i*x.Width:][:x.Width]
		if err := m.Model.Contributions(row, all); err != nil {
			return err
		}
		if err := m.Model.Predict(&boost.Matrix{Columns: x.Width, Blocks: [][]float32{row}}, raw); err != nil {
			return err
		}
		scores, mean := make([]float64, k), make([]float64, k)
		for s := range scores {
			scores[s] = float64(raw[s])
			mean[s] = scores[s]
			for _, v := range all[s*x.Width:][:x.Width] {
				mean[s] -= v
			}
		}
		oddsOf(parts[i*x.Width:][:x.Width], &base[i], scores, mean, c, m.Classes, func(s, column int) float64 { return all[s*x.Width+column] })
	}
	return nil
}

// Contributions are the products of weights and standardised columns.
func (m *Linear) Contributions(x Block, c int, parts, base []float64) error {
	out := len(m.Bias)
	for i := range x.Rows {
		z := make([]float64, x.Width)
		scores, mean := make([]float64, out), make([]float64, out)
		for column, v := range x.Data[i*x.Width:][:x.Width] {
			z[column] = float64(min(max((v-m.Mean[column])/m.Scale[column], -LinearBound), LinearBound))
		}
		part := func(s, column int) float64 { return z[column] * float64(m.Weight[column*out+s]) }
		for s := range scores {
			mean[s] = float64(m.Bias[s])
			scores[s] = mean[s]
			for column := range z {
				scores[s] += part(s, column)
			}
		}
		oddsOf(parts[i*x.Width:][:x.Width], &base[i], scores, mean, c, m.Classes, part)
	}
	return nil
}

// oddsOf writes the contributions to output c from those to all scores: a number, the log-odds of the second of two classes, or
// logits of classes. The log-odds of one of several classes change by the contribution to its own score less the mean of those to
// the others by their probabilities; what this misses, as the odds bend, is spread by the size of the parts.
func oddsOf(parts []float64, base *float64, scores, mean []float64, c int, classes bool, part func(s, column int) float64) {
	switch {
	case !classes:
		*base = mean[c]
		for column := range parts {
			parts[column] = part(c, column)
		}
	case len(scores) == 1:
		sign := float64(2*c - 1)
		*base = sign * mean[0]
		for column := range parts {
			parts[column] = sign * part(0, column)
		}
	default:
		*base = logOdds(mean, c)
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
			rest := (logOdds(scores, c) - *base - sum) / size
			for column, v := range parts {
				parts[column] += rest * math.Abs(v)
			}
		}
	}
}

// logOdds are those of class c by logits.
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

// Contributions are integrated gradients of the logarithm of a probability or of a number.
func (m *Network) Contributions(x Block, c int, parts, base []float64) error {
	rows := m.rows(x)
	flat := make([]float32, x.Rows*x.Width)
	run := *m.Model
	run.Threads = 1
	if err := run.Attribute(context.Background(), rows, c, flat); err != nil {
		return err
	}
	out := make([]float32, x.Rows*run.Outputs())
	if err := run.Predict(context.Background(), rows, out); err != nil {
		return err
	}
	for i := range x.Rows {
		base[i] = float64(out[i*run.Outputs()+c])
		for column, v := range flat[i*x.Width:][:x.Width] {
			parts[i*x.Width+column] = float64(v)
			base[i] -= float64(v)
		}
	}
	return nil
}

// Divides reports whether a learner of the mean says what columns contribute.
func (m *Auto) Divides() bool {
	for k, l := range m.learners {
		_, explains := l.(ColumnExplainer)
		if _, placed := l.(PlacedLearner); explains && !placed && m.Config.Learners[k].Weight > 0 {
			return true
		}
	}
	return false
}
