package settings

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/ehgnn/ehgnn/internal/plainyaml"
)

// Numbers keep the digits with which they were written, whatever their size.
func TestNumbersInYAML(t *testing.T) {
	type numbers struct {
		Seed  uint64
		Low   int64
		Value []float64
		Text  string
	}
	want := numbers{Seed: math.MaxUint64, Low: math.MinInt64, Text: "18446744073709552000 and 1e-07", Value: []float64{0, -1, 0.1, 1e-7, -1e-300, 1e19,
		18446744073709551616, -18446744073709551616, 123456789012345678901, 1e20, 1e21, 1.5e300, 0.0000012345678901234567, math.MaxFloat64}}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	out, err := toYAML(text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := plainyaml.ToJSON(out)
	if err != nil {
		t.Fatal(err)
	}
	var got numbers
	if err := json.Unmarshal(again, &got); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	if got.Seed != want.Seed || got.Low != want.Low || got.Text != want.Text {
		t.Errorf("%+v, want %+v", got, want)
	}
	for i, v := range want.Value {
		if got.Value[i] != v {
			t.Errorf("%v is read as %v", v, got.Value[i])
		}
	}
}
