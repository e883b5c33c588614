package mars

import (
	"math"
	"testing"
)

func TestTemperature(t *testing.T) {
	var a annealing
	for step := range 600 {
		got := a.next()
		k := max(0, (step+1)/6)
		if want := max(math.Pow(0.95, float64(k)), 0.01); math.Abs(got-want) > 1e-12 {
			t.Fatalf("step %d: %v, expected %v", step, got, want)
		}
		if step < 5 && got != 1 || step > 540 && got != 0.01 {
			t.Errorf("step %d: %v", step, got)
		}
	}
}

// A worse edit is accepted with probability (new/old)^(1/T).
func TestAccept(t *testing.T) {
	from, to := sketches(1, 1)[0], sketches(2, 1)[0]
	for _, c := range []struct {
		name             string
		was, is, u, temp float64
		invalid          bool
		moves, learnt    bool
	}{
		{name: "better", was: 0.2, is: 0.3, u: 0.999, temp: 0.01, moves: true, learnt: true},
		{name: "equal", was: 0.2, is: 0.2, u: 0.999, temp: 0.01, moves: true},
		{name: "worse, lucky", was: 0.4, is: 0.2, u: 0.49, temp: 1, moves: true},
		{name: "worse, unlucky", was: 0.4, is: 0.2, u: 0.51, temp: 1},
		{name: "worse, colder", was: 0.4, is: 0.2, u: 0.26, temp: 0.5},
		{name: "nothing from nothing", was: 0, is: 0, u: 0, temp: 1},
		{name: "something from nothing", was: 0, is: 1e-3, u: 0.999, temp: 1, moves: true, learnt: true},
		{name: "not valid", was: 0.4, u: 0, temp: 1, invalid: true},
	} {
		s := &sampler{chains: []chain{{at: from, target: c.was}}}
		p := Progress{Temperature: c.temp}
		next := proposal{accept: c.u, valid: !c.invalid, to: chain{at: to, target: c.is}, edit: edit{add: true, at: 3}}
		chains, examples := s.accept([]proposal{next}, &p)
		if (chains[0].at == to) != c.moves || (len(examples) == 1) != c.learnt || s.chains[0].at != from {
			t.Errorf("%s: %+v, %d examples", c.name, chains[0], len(examples))
		}
		if c.learnt && (examples[0].of != from || examples[0].edit != next.edit) {
			t.Errorf("%s: example %+v", c.name, examples[0])
		}
		if want := (map[bool]float64{true: 1})[c.invalid]; p.Invalid != want {
			t.Errorf("%s: %v invalid", c.name, p.Invalid)
		}
	}
}

func TestTrimmed(t *testing.T) {
	s := &sampler{Config: Config{Buffer: 10}}
	buffer := make([]example, 20)
	for i := range buffer {
		buffer[i].at = int32(i)
	}
	if got := s.trimmed(buffer); len(got) != 20 {
		t.Errorf("%d of 20 examples are left", len(got))
	}
	got := s.trimmed(append(buffer, example{edit: edit{at: 20}}))
	seen := map[int32]bool{}
	for _, e := range got {
		seen[e.at] = true
	}
	if len(got) != 10 || len(seen) != 10 {
		t.Errorf("%d examples, %d different, expected 10", len(got), len(seen))
	}
}

func TestPatience(t *testing.T) {
	p := progress{Patience: 3}
	for _, c := range []struct {
		pm, mean float64
		want     int
	}{
		{0, 0.2, 3}, // PM has hardly begun
		{0.2, 0.3, 3},
		{0.205, 0.305, 2}, // neither gains
		{0.1, 0.05, 3},    // the mean has decreased to almost nothing
		{0.15, 0.2, 2},
		{0.15, 0.2, 1},
		{0.3, 0.2, 3},
		{0.305, 0.309, 2},
		{0.305, 0.31, 3},
	} {
		p.advance(3, []Evaluation{{PM: c.pm}}, c.mean)
		if p.Patience != c.want {
			t.Errorf("PM %v, mean %v: patience %d, expected %d", c.pm, c.mean, p.Patience, c.want)
		}
	}
	p = progress{Patience: 3}
	p.advance(3, nil, 0.5)
	p.advance(3, nil, 0.505)
	if p.Patience != 2 {
		t.Errorf("without thresholds: patience %d", p.Patience)
	}
}

func TestValidate(t *testing.T) {
	if err := NewConfig().Validate(); err != nil {
		t.Error(err)
	}
	for _, change := range []func(*Config){
		func(c *Config) { c.Chains = 0 }, func(c *Config) { c.Steps = 0 }, func(c *Config) { c.Buffer = 0 }, func(c *Config) { c.Batches = -1 },
		func(c *Config) { c.Rate = math.NaN() }, func(c *Config) { c.EdgeRate = 0 }, func(c *Config) { c.Clip = -1 }, func(c *Config) { c.EvaluateEvery = 0 }, func(c *Config) { c.Patience = 0 },
	} {
		c := NewConfig()
		change(&c)
		if c.Validate() == nil {
			t.Errorf("accepted %+v", c)
		}
	}
}
