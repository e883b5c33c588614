package sweep

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/internal/settings"
)

func TestParseSpace(t *testing.T) {
	tests := []struct {
		text string
		want []any // some of the values, and first the ends of a range
	}{
		{"lr=log:1e-4..1e-2", []any{1e-4, 1e-2}},
		{"dropout=0..0.6", []any{0.0, 0.6}},
		{"dropout=0..0.5:0.1", []any{0.0, 0.5, 0.1, 0.2, 0.3, 0.4}},
		{"dropout=0..0.55:0.1", []any{0.0, 0.5}},
		{"layers=2..5", []any{2, 5, 3, 4}},
		{"hidden=log:1..64", []any{1, 64, 2, 7}},
		{"hidden=32..256:32", []any{32, 256, 64}},
		{"batch_size=8,16", []any{8, 16}},
		{"lr=1e-3,1e-2", []any{1e-3, 1e-2}},
		{"conv=gcn,gin", []any{"gcn", "gin"}},
		{"encode=true,false", []any{true, false}},
	}
	for _, test := range tests {
		s, err := ParseSpace([]string{test.text})
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		d := s[0]
		low, high := d.bounds()
		if d.Choices == nil && (d.value(low-9) != test.want[0] || d.value(high+9) != test.want[1]) {
			t.Errorf("%s: from %v to %v", test.text, d.value(low-9), d.value(high+9))
		}
		seen := map[any]bool{}
		r := rng.Stream(1, test.text)
		for range 2000 {
			v := d.value(low + (high-low)*r.Float64())
			seen[v] = true
			if back, ok := d.external(d.internal(v)); !ok || back != v {
				t.Fatalf("%s: %v is kept as %v and read as %v", test.text, v, d.internal(v), back)
			}
			if at := d.coordinate(v); at < low || at > high {
				t.Fatalf("%s: %v is at %v, beyond %v to %v", test.text, v, at, low, high)
			}
		}
		if d.Choices != nil || d.Step > 0 || d.Whole {
			for _, v := range test.want {
				if !seen[v] {
					t.Errorf("%s: %v is never drawn", test.text, v)
				}
			}
		}
	}
}

func TestParseSpaceRefuses(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", "expected NAME=VALUES"}, {"lr", "expected NAME=VALUES"}, {"lr=", "expected NAME=VALUES"}, {"=1..2", "expected NAME=VALUES"},
		{"lrr=1..2", `unknown option "lrr", did you mean "lr"?`},
		{"format=tu,ogb", "cannot be searched"}, {"fold=1..5", "cannot be searched"}, {"unweighted=true,false", "cannot be searched"},
		{"lr=1..1", "expected less than its end"}, {"lr=2..1", "expected less than its end"}, {"lr=1..", `"" is no finite number`}, {"lr=..", `"" is no finite number`},
		{"lr=NaN..1", `"NaN" is no finite number`}, {"lr=0.1..Inf", `"Inf" is no finite number`}, {"lr=1e400..1e401", "no finite number"},
		{"lr=-1.7e308..1.7e308", "longer than a number"},
		{"lr=log:0..1", "above 0 on a logarithmic scale"}, {"lr=log:-1..1", "above 0 on a logarithmic scale"}, {"lr=log:1e-3..1:2", "has no step"},
		{"dropout=0..1:0", "expected above 0"}, {"dropout=0..1:-0.1", "expected above 0"}, {"dropout=0..1:2", "expected above 0 and at most 1"}, {"dropout=0..1:x", `"x" is no finite number`},
		{"layers=1.5..3", "no whole number"}, {"hidden=1..1e300", "no whole number"}, {"hidden=0..8", "--hidden is 0, expected at least 1"},
		{"ratio=0.5..1.5", "--ratio is 1.5, expected above 0 and at most 1"},
		{"conv=gcn", "there is one value"}, {"conv=gcn,gcn", "there twice"}, {"layers=2,2", "there twice"}, {"encode=yes,no", "neither true nor false"},
		{"structure=all,none", "lists"}, {"optimizer=adam,lion", "expected one of"},
		{"lr=1..2..3", "no finite number"}, {"lr=log:log:1..2", "no finite number"}, {"lr=" + strings.Repeat("1", 4000) + "..2", "no finite number"},
	}
	for _, test := range tests {
		s, err := ParseSpace([]string{test.text})
		if err == nil || !settings.IsUsage(err) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.60s: %v, %v; want an error of usage with %q", test.text, s, err, test.want)
		}
	}
	if _, err := ParseSpace(nil); err == nil || !settings.IsUsage(err) {
		t.Errorf("no space: %v", err)
	}
	if _, err := ParseSpace([]string{"lr=1..2", "lr=1..3"}); err == nil || !strings.Contains(err.Error(), "lr is there twice") {
		t.Errorf("twice: %v", err)
	}
}

func space(t *testing.T, texts ...string) Space {
	t.Helper()
	s, err := ParseSpace(texts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A random trial depends on the seed and its number only. A further setting does not change it.
func TestRandomDraws(t *testing.T) {
	s := space(t, "lr=log:1e-4..1e-2", "layers=1..4")
	a := s.draw(SamplerRandom, 42, 7, nil)
	b := append(s, space(t, "conv=gcn,gin")...).draw(SamplerRandom, 42, 7, []observation{{}, {}})
	if a["lr"] != b["lr"] || a["layers"] != b["layers"] {
		t.Errorf("trial 7 is %v, with one more setting %v", a, b)
	}
	counts := map[any]int{}
	var logs []float64
	for i := range 4000 {
		v := s.draw(SamplerRandom, 1, i, nil)
		counts[v["layers"]]++
		logs = append(logs, math.Log10(v["lr"].(float64)))
	}
	for v, n := range counts {
		if n < 850 || n > 1150 {
			t.Errorf("layers %v in %d of 4000 trials, want a quarter", v, n)
		}
	}
	slices.Sort(logs)
	if median := logs[2000]; math.Abs(median+3) > 0.1 {
		t.Errorf("the median of lr is 1e%.2f, want 1e-3", median)
	}
}
