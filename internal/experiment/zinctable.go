package experiment

import (
	"bytes"
	"context"

	"github.com/ehgnn/ehgnn/chem"
)

// zincTable has the measurements.
type zincTable struct {
	zincRequest
	truth *zincTruth
	plain zincScores // of a constant model that predicts single bonds and carbon atoms
	lines []zincLine
}

// zincLine has the trainings of a row at a ratio, by seed.
type zincLine struct {
	ratio     float64
	row       edgeRow
	trainings []zincMeasured
	drawing   zincDrawing // of the first seed
}

// zincMeasured is a training of the edges with its scores.
type zincMeasured struct {
	zincResult
	zincScores
}

// newZINCTable scores results, which are in the order of zincRequest.trainings.
func newZINCTable(ctx context.Context, r zincRequest, results []zincResult) (t zincTable, err error) {
	t = zincTable{zincRequest: r}
	if t.truth, err = newZINCTruth(ctx, r.set.test, r.base.Edges == "directed", r.toolkit, r.strict); err != nil {
		return t, err
	}
	var atoms []byte // of the constant model; nil if atoms are known
	for _, ratio := range r.ratios {
		var nodes [][]byte // predicted atoms, by seed; nil if they are known
		for len(results) > 0 && results[0].Row == zincNodes && results[0].Ratio == ratio {
			nodes, results = append(nodes, results[0].Predicted), results[1:]
			atoms = make([]byte, len(t.truth.atoms)) // the first type is carbon
		}
		for _, row := range r.rows {
			line := zincLine{ratio: ratio, row: row}
			for k := range r.seeds {
				m := zincMeasured{zincResult: results[k]}
				var of []byte
				if nodes != nil {
					of = nodes[k]
				}
				if m.zincScores, err = t.truth.score(ctx, of, m.Predicted); err != nil {
					return t, err
				}
				if k == 0 {
					line.drawing = zincDrawing{of, m.Predicted, m.Clusters}
				}
				m.Predicted, m.Clusters = nil, nil
				line.trainings = append(line.trainings, m)
			}
			results = results[len(r.seeds):]
			t.lines = append(t.lines, line)
		}
	}
	t.plain, err = t.truth.score(ctx, atoms, bytes.Repeat([]byte{byte(chem.Single)}, len(t.truth.bonds)))
	return t, err
}
