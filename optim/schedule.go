package optim

import "math"

// Schedule is a factor of the learning rate that depends only on the step.
type Schedule interface {
	// Factor returns the factor for update number step, counted from 0.
	Factor(step int) float64
}

// Constant keeps the learning rate constant.
type Constant struct{}

// Factor is 1.
func (Constant) Factor(int) float64 { return 1 }

// CosineWarmup rises linearly for Warmup steps and then falls along a cosine until step Total:
//
//	t/max(1,W)                                            t < W
//	max(0, ½·(1 + cos(2π·c·(t-W)/max(1,T-W))))            otherwise
//
// The first update of a warm-up has factor 0, as in the authors' training. After Total the cosine
// rises again. It is get_cosine_schedule_with_warmup of Hugging Face's transformers.
type CosineWarmup struct {
	Warmup, Total int
	Cycles        float64 // waves of the cosine; zero means ½, one fall from 1 to 0
}

// Factor returns the value of the formula above.
func (s CosineWarmup) Factor(step int) float64 {
	if step < s.Warmup {
		return float64(step) / float64(max(1, s.Warmup))
	}
	cycles := s.Cycles
	if cycles == 0 {
		cycles = 0.5
	}
	progress := float64(step-s.Warmup) / float64(max(1, s.Total-s.Warmup))
	return max(0, 0.5*(1+math.Cos(2*math.Pi*cycles*progress)))
}
