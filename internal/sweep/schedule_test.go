package sweep

import (
	"cmp"
	"math"
	"slices"
	"testing"
)

func TestRungs(t *testing.T) {
	for _, test := range []struct {
		epochs, warmup int
		want           []int
	}{
		{500, 0, []int{18, 55, 166, 500}}, {500, 50, []int{55, 166, 500}}, {9, 0, []int{1, 3, 9}}, {2, 0, []int{2}}, {1, 0, []int{1}}, {100, 100, []int{100}},
	} {
		if got := rungs(test.epochs, test.warmup); !slices.Equal(got, test.want) {
			t.Errorf("rungs of %d epochs, %d of them warm-up: %v, want %v", test.epochs, test.warmup, got, test.want)
		}
	}
}

// simulate runs a schedule without training. The score of trial i is its quality. Up to `workers`
// jobs run at once and end in the order in which they began.
func simulate(quality []float64, rung []int, workers int) *sweep {
	s := &sweep{rungs: rung, epochs: rung[len(rung)-1]}
	s.Maximise, s.Config.Trials = true, len(quality)
	var running []job
	for {
		j, fresh, _ := s.pick()
		if fresh {
			j.trial = &Trial{Number: len(s.Trials), Value: math.NaN()}
			s.Trials = append(s.Trials, j.trial)
		}
		if j.trial != nil {
			j.trial.busy = true
			running = append(running, j)
		}
		if len(running) < workers && j.trial != nil {
			continue
		}
		if len(running) == 0 {
			return s
		}
		j, running = running[0], running[1:]
		for len(j.trial.Scores) < j.until {
			j.trial.Scores = append(j.trial.Scores, quality[j.trial.Number])
		}
		if j.trial.busy = false; j.until == s.epochs {
			j.trial.State, j.trial.Value = Complete, quality[j.trial.Number]
		}
	}
}

// ASHA promotes about a third of each rung and trains the best trials to the end, with any number
// of workers.
func TestASHA(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		for _, n := range []int{1, 2, 3, 10, 27, 60} {
			quality := make([]float64, n)
			for i := range quality {
				quality[i] = float64((i*37 + 11) % n)
			}
			s := simulate(quality, []int{1, 3, 9}, workers)
			epochs, ended := 0, 0
			for _, o := range s.Trials {
				if epochs += len(o.Scores); o.State == Complete {
					ended++
				}
			}
			best := slices.MaxFunc(s.Trials, func(a, b *Trial) int { return cmp.Compare(quality[a.Number], quality[b.Number]) })
			if len(s.Trials) != n || s.Best() != best {
				t.Errorf("%d of %d trials, %d workers: the best is %v, want %v", len(s.Trials), n, workers, s.Best(), best)
			}
			// Some more trials end, because early trials are promoted before better ones are known.
			if least, most := max(min(leastEnded, n), n/9), max(min(leastEnded, n), n/3); ended < least || ended > most {
				t.Errorf("%d trials, %d workers: %d trained to their end, want %d to %d", n, workers, ended, least, most)
			}
			if n == 60 && epochs > 60*9/2 {
				t.Errorf("%d workers: %d epochs, want less than half of %d", workers, epochs, 60*9)
			}
		}
	}
}

func TestMedian(t *testing.T) {
	s := &sweep{epochs: 9}
	s.Config.Pruner = PrunerMedian
	for i := range 5 {
		s.Trials = append(s.Trials, &Trial{Number: i, State: Complete, Scores: []float64{5, float64(i), float64(i)}})
	}
	of := func(scores ...float64) *Trial { return &Trial{Scores: scores} }
	for _, test := range []struct {
		trial *Trial
		want  bool
	}{
		{of(6), true}, {of(5), false}, {of(4, 3), true}, {of(4, 2), false}, {of(1, 9), false}, {of(math.NaN(), math.NaN()), true},
	} {
		if got := s.belowMedian(test.trial); got != test.want {
			t.Errorf("a loss of %v is hopeless: %v, want %v", test.trial.Scores, got, test.want)
		}
	}
	s.Trials = s.Trials[:4]
	if s.belowMedian(of(9)) {
		t.Error("the rule holds with too few trials")
	}
}

// A setting that alone determines the score has all of the importance, and a setting without effect has none.
func TestImportance(t *testing.T) {
	s := &Study{Maximise: true, Config: Config{Space: space(t, "lr=log:1e-4..1e-2", "conv=gcn,gin")}}
	for i := range 60 {
		v := s.Config.Space.draw(SamplerRandom, 5, i, nil)
		s.Trials = append(s.Trials, &Trial{Number: i, Settings: v, at: s.Config.Space.point(v), State: Complete, Scores: []float64{math.Log(v["lr"].(float64))}})
	}
	list, epoch := s.Importances()
	if len(list) != 2 || list[0].Setting != "lr" || list[0].Share < 0.9 || list[1].Share > 0.1 || epoch != 1 {
		t.Errorf("importances %v at epoch %d", list, epoch)
	}
	s.Trials = s.Trials[:leastForImportance-1]
	if list, _ := s.Importances(); list != nil {
		t.Errorf("importances of %d trials: %v", len(s.Trials), list)
	}
}
