package serve

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn"
	"github.com/ehgnn/ehgnn/internal/report"
)

// answer is the answer for one graph.
type answer struct {
	id       string
	line     int // of NDJSON; 0 for other bodies
	nodes    int
	edges    int
	score    []bool // requested edges; nil for all
	order    []int  // order in which edges are computed; nil for the given order
	lone     bool   // the run reads known labels, and the graph has none
	warnings []string
	naming   []report.Column // columns that name the edges of tables

	prediction ehgnn.Prediction
	embedding  *ehgnn.Embedding // replaces a prediction
	problem    *Problem         // replaces both
}

// replyNames has the parts of replies that are the same for all graphs of a run, as JSON.
type replyNames struct {
	model      string // of the run
	level      ehgnn.Level
	numbers    bool     // numbers are predicted
	classes    []string // names, and as JSON with a colon
	targets    []string
	classKeys  []string
	targetKeys []string
	classText  map[string]string // a class as JSON
	rowBytes   int64
	example    func() *ehgnn.Item // prediction for the example of the run; a table without rows has its columns
}

func newReplyNames(name string, m *ehgnn.Model) replyNames {
	r := replyNames{model: name, level: m.Level(), numbers: m.Numbers(), classes: m.Classes(), targets: m.Targets(), classText: map[string]string{}, rowBytes: rowBytes(m),
		example: sync.OnceValue(func() *ehgnn.Item { return examplePrediction(m) })}
	for _, c := range r.classes {
		text := string(appendText(nil, c))
		r.classKeys = append(r.classKeys, text+":")
		r.classText[c] = text
	}
	for _, t := range r.targets {
		r.targetKeys = append(r.targetKeys, string(appendText(nil, t))+":")
	}
	return r
}

// examplePrediction is the prediction for the first item of the example of a run, empty if a run has no example.
func examplePrediction(m *ehgnn.Model) *ehgnn.Item {
	g, _, err := m.Example()
	if err != nil {
		return &ehgnn.Item{}
	}
	of, err := m.Predict(context.Background(), g)
	if err != nil {
		return &ehgnn.Item{}
	}
	return &slices.Concat(of[0].Nodes, of[0].Edges, []ehgnn.Item{of[0].Item})[0]
}

// appendAnswer appends an answer as an object. Between its parts, spill may send and clear b.
func (r *replyNames) appendAnswer(b []byte, a *answer, spill func([]byte) []byte) []byte {
	b = append(b, '{')
	if a.line > 0 {
		b = strconv.AppendInt(append(b, `"line":`...), int64(a.line), 10)
		b = append(b, ',')
	}
	if a.problem != nil {
		text, err := json.Marshal(a.problem)
		if err != nil { // strings and whole numbers can always be encoded
			panic(err)
		}
		return append(append(append(b, `"error":`...), text...), '}')
	}
	b = appendText(append(b, `"id":`...), a.id)
	if e := a.embedding; e != nil {
		b = append(b, `,"vectors":[`...)
		for i := 0; i < len(e.Rows); i += e.Width {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(spill(b), '[')
			for k, v := range e.Rows[i:][:e.Width] {
				if k > 0 {
					b = append(b, ',')
				}
				b = appendNumber(b, float64(v))
			}
			b = append(b, ']')
		}
		b = append(b, ']')
	} else {
		if a.prediction.Nodes == nil && a.prediction.Edges == nil && r.level == ehgnn.Graphs {
			b = r.appendItem(append(b, ','), &a.prediction.Item)
		}
		b = r.appendItems(b, `,"nodes":[`, a.prediction.Nodes, nil, spill)
		b = r.appendItems(b, `,"edges":[`, a.prediction.Edges, a.score, spill)
	}
	for k, w := range a.warnings {
		if k == 0 {
			b = append(b, `,"warnings":[`...)
		} else {
			b = append(b, ',')
		}
		b = appendText(b, w)
		if k == len(a.warnings)-1 {
			b = append(b, ']')
		}
	}
	return append(b, '}')
}

// appendItems appends items, or only chosen items with their numbers.
func (r *replyNames) appendItems(b []byte, begin string, items []ehgnn.Item, chosen []bool, spill func([]byte) []byte) []byte {
	if items == nil {
		return b
	}
	b = append(b, begin...)
	first := true
	for i := range items {
		if chosen != nil && !chosen[i] {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(spill(b), '{')
		if chosen != nil {
			b = append(strconv.AppendInt(append(b, `"edge":`...), int64(i), 10), ',')
		}
		b = append(r.appendItem(b, &items[i]), '}')
	}
	return append(b, ']')
}

// appendItem appends the members of a prediction.
func (r *replyNames) appendItem(b []byte, x *ehgnn.Item) []byte {
	names, keys := r.targets, r.targetKeys
	if x.Class != "" || x.Values == nil && x.Probabilities == nil {
		b = append(b, `"class":`...)
		if text, ok := r.classText[x.Class]; ok {
			b = append(b, text...)
		} else {
			b = appendText(b, x.Class)
		}
		b = append(b, ',')
		names, keys = r.classes, r.classKeys
	}
	numbers := func(name string, values []float64) {
		if values == nil {
			return
		}
		b = append(append(append(b, '"'), name...), `":`...)
		if len(names) != len(values) {
			b = append(b, '[')
			for k, v := range values {
				if k > 0 {
					b = append(b, ',')
				}
				b = appendNumber(b, v)
			}
			b = append(b, "],"...)
			return
		}
		b = append(b, '{')
		for k, v := range values {
			if k > 0 {
				b = append(b, ',')
			}
			b = appendNumber(append(b, keys[k]...), v)
		}
		b = append(b, "},"...)
	}
	numbers("probabilities", x.Probabilities)
	numbers("values", x.Values)
	numbers("lower", x.Lower)
	numbers("upper", x.Upper)
	if x.Class != "" && x.Std != nil {
		b = append(appendNumber(append(b, `"std":`...), x.Std[0]), ',')
	} else {
		numbers("std", x.Std)
	}
	if x.Set != nil {
		b = append(b, `"set":[`...)
		for k, c := range x.Set {
			if k > 0 {
				b = append(b, ',')
			}
			b = appendText(b, c)
		}
		b = append(b, "],"...)
	}
	return b[:len(b)-1]
}

// appendNumber appends a number in the fewest digits that read back as the same float32, as in
// tables of predictions; null if it is not finite.
func appendNumber(b []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(b, "null"...)
	}
	return report.AppendFloat(b, float32(v))
}

// appendText appends a string.
func appendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			text, err := json.Marshal(s)
			if err != nil { // strings can always be encoded
				panic(err)
			}
			return append(b, text...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
