package items

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/source"
)

// complete decides whether there are classes or numbers, and adds the columns that the file does not have.
func (s *Set) complete() {
	label, prediction := s.find("label"), s.find("prediction")
	probable := slices.ContainsFunc(s.columns, func(c column) bool { return strings.HasPrefix(c.name, "probability") })
	var wrong []float64
	if s.classes = label != nil && prediction != nil && probable; s.classes {
		label.numbers, prediction.numbers = nil, nil // class names, even if they look like numbers
		wrong = s.wrongClasses(label, prediction)
	} else {
		wrong = s.wrongNumbers()
	}
	if s.find(PartColumn) == nil {
		s.columns = append(s.columns, column{name: PartColumn, text: slices.Repeat([]string{source.PartTest}, s.rows)})
	}
	if wrong == nil || s.find(ErrorColumn) != nil {
		return
	}
	c := column{name: ErrorColumn, numbers: wrong, text: make([]string, s.rows)}
	for i, v := range wrong {
		if v == v {
			c.text[i] = strconv.FormatFloat(v, 'g', 6, 32)
		}
	}
	s.columns = append(s.columns, c)
}

// wrongClasses returns the probability of each wrongly predicted class.
func (s *Set) wrongClasses(label, prediction *column) []float64 {
	out := make([]float64, s.rows)
	for i := range out {
		switch {
		case label.text[i] == "":
			out[i] = math.NaN()
		case label.text[i] != prediction.text[i]:
			of := cmp.Or(s.find("probability_"+prediction.text[i]), s.find("probability")) // only of the predicted class
			if out[i] = 1; of != nil && of.numbers != nil {
				out[i] = of.numbers[i]
			}
		}
	}
	return out
}

// wrongNumbers returns the largest distance of a prediction from the true number or label; nil if
// the file has none.
func (s *Set) wrongNumbers() []float64 {
	pairs := s.pairs()
	if pairs == nil {
		return nil
	}
	out := lists.Repeat(math.NaN(), s.rows)
	for _, p := range pairs {
		scale := 1.0
		if len(pairs) > 1 && !p.label {
			scale = deviation(p.truth.numbers)
		}
		for i := range out {
			if e := math.Abs(p.predicted.numbers[i]-p.truth.numbers[i]) / scale; e == e && !(e <= out[i]) {
				out[i] = e
			}
		}
	}
	return out
}

// truthAndPrediction are the columns of a number or label.
type truthAndPrediction struct {
	name             string
	truth, predicted *column
	label            bool
}

// pairs returns the predicted numbers or labels.
func (s *Set) pairs() (out []truthAndPrediction) {
	add := func(name, truth, predicted string, label bool) {
		t, p := s.find(truth), s.find(predicted)
		if t != nil && p != nil && t.numbers != nil && p.numbers != nil {
			out = append(out, truthAndPrediction{name, t, p, label})
		}
	}
	add("", "label", "prediction", false)
	for _, c := range s.columns {
		if name, ok := strings.CutPrefix(c.name, "target_"); ok {
			add(name, c.name, "prediction_"+name, false)
		} else if name, ok := strings.CutPrefix(c.name, "label_"); ok {
			add(name, c.name, "probability_"+name, true)
		}
	}
	return out
}

// deviation is the standard deviation of numbers, 1 if all are equal.
func deviation(of []float64) float64 {
	n, sum, squares := 0.0, 0.0, 0.0
	for _, v := range of {
		if v == v {
			n, sum = n+1, sum+v
		}
	}
	for _, v := range of {
		if v == v {
			squares += (v - sum/n) * (v - sum/n)
		}
	}
	if squares == 0 {
		return 1
	}
	return math.Sqrt(squares / n)
}
