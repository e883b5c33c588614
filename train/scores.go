package train

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/ehgnn/ehgnn/internal/lists"
)

// Score is one number of an evaluation. It is finite, or NaN if it could not be measured.
type Score struct {
	Name  string
	Value float64
}

// Scores are the numbers of an evaluation in the order of the Scorer. In JSON they are an object in
// that order, with null for NaN.
type Scores []Score

// Get returns the score with a name and whether there is one.
func (s Scores) Get(name string) (float64, bool) {
	for _, score := range s {
		if score.Name == name {
			return score.Value, true
		}
	}
	return math.NaN(), false
}

// names lists the names of the scores for an error.
func (s Scores) names() string {
	names := lists.Map(s, func(score Score) string { return score.Name })
	return strings.Join(names, ", ")
}

// clean checks the names and replaces infinite values with NaN.
func (s Scores) clean() (Scores, error) {
	out := make(Scores, len(s))
	for i, score := range s {
		if score.Name == "" {
			return nil, fmt.Errorf("score %d has no name", i+1)
		}
		if _, twice := out[:i].Get(score.Name); twice {
			return nil, fmt.Errorf("two scores are named %q", score.Name)
		}
		if math.IsInf(score.Value, 0) {
			score.Value = math.NaN()
		}
		out[i] = score
	}
	return out, nil
}

// MarshalJSON writes an object with the scores in their order.
func (s Scores) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, score := range s {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(score.Name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(number(score.Value))
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads an object of numbers and keeps its order.
func (s *Scores) UnmarshalJSON(text []byte) error {
	*s = nil
	if string(text) == "null" {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("scores: expected a JSON object (%v)", err)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		var v number
		if err := dec.Decode(&v); err != nil {
			return err
		}
		*s = append(*s, Score{Name: key.(string), Value: float64(v)}) // keys are strings
	}
	_, err := dec.Token()
	return err
}

// number is a float64 that becomes null in JSON if it is not finite: JSON has no such numbers.
type number float64

func (n number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

func (n *number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*n = number(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(n))
}
