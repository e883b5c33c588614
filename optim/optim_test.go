package optim_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/golden"
	"github.com/ehgnn/ehgnn/internal/rng"
	"github.com/ehgnn/ehgnn/optim"
	"github.com/ehgnn/ehgnn/tensor"
)

// goldenTol is relative to the largest element: the reference computes in
// float64 what the optimisers accumulate in float32 over five steps.
const goldenTol = 1e-6

func TestGoldenOptimisers(t *testing.T) {
	methods := map[string]string{"adam": "adam", "adamw": "adamw", "sgd": "sgd", "rmsprop": "rmsprop"}
	seen := map[string]bool{}
	for _, c := range golden.Load(t, "layers/optimisers").Cases {
		name, _, _ := strings.Cut(c.Name, "_")
		method, ok := methods[name]
		if !ok {
			continue
		}
		seen[method] = true
		t.Run(c.Name, func(t *testing.T) {
			cfg := optim.Config{
				Name:        method,
				WeightDecay: c.Config.Float("weight_decay", 0),
				Eps:         c.Config.Float("eps", 0),
				Momentum:    c.Config.Float("momentum", 0),
				Nesterov:    c.Config.Bool("nesterov", false),
				Alpha:       c.Config.Float("alpha", 0),
			}
			if b := c.Config.Floats("betas"); b != nil {
				cfg.Betas = [2]float64{b[0], b[1]}
			}
			params := []*tensor.Param{
				{Name: "weight", Value: c.Tensor("params.weight")},
				{Name: "bias", Value: c.Tensor("params.bias")},
			}
			opt, err := optim.New(cfg, params)
			if err != nil {
				t.Fatal(err)
			}
			for step := range c.Config.Int("steps", 0) {
				grads := make([]*tensor.Tensor, len(params))
				for i, p := range params {
					grads[i] = c.Tensor(fmt.Sprintf("grad.%s.step%d", p.Name, step+1))
				}
				opt.Step(c.Config.Float("lr", 0), grads)
				for _, p := range params {
					name := fmt.Sprintf("%s.step%d", p.Name, step+1)
					golden.Close(t, name, p.Value.Data(), p.Value.Shape(), c.Value("outputs."+name), goldenTol)
				}
			}
		})
	}
	for _, m := range optim.Names() {
		if !seen[m] {
			t.Errorf("no golden case of %s", m)
		}
	}
}

func TestGoldenClip(t *testing.T) {
	n := 0
	for _, c := range golden.Load(t, "layers/optimisers").Cases {
		if !strings.HasPrefix(c.Name, "clip_grad_norm") {
			continue
		}
		n++
		t.Run(c.Name, func(t *testing.T) {
			grads := []*tensor.Tensor{c.Tensor("grad.weight"), nil, c.Tensor("grad.bias")}
			norm := optim.ClipGradNorm(grads, float32(c.Config.Float("max_norm", 0)))
			golden.Close(t, "norm", []float32{norm}, nil, c.Value("outputs.total_norm"), goldenTol)
			golden.Close(t, "weight", grads[0].Data(), grads[0].Shape(), c.Value("outputs.grad.weight"), goldenTol)
			golden.Close(t, "bias", grads[2].Data(), grads[2].Shape(), c.Value("outputs.grad.bias"), goldenTol)
		})
	}
	if n == 0 {
		t.Error("no golden case of clipping")
	}
}

func TestGoldenSchedule(t *testing.T) {
	n := 0
	for _, c := range golden.Load(t, "layers/optimisers").Cases {
		if !strings.HasPrefix(c.Name, "cosine_warmup") {
			continue
		}
		n++
		t.Run(c.Name, func(t *testing.T) {
			s := optim.CosineWarmup{Warmup: c.Config.Int("warmup", 0), Total: c.Config.Int("total", 0), Cycles: c.Config.Float("cycles", 0)}
			var got []float32
			for _, step := range c.IDs("step") {
				got = append(got, float32(s.Factor(int(step))))
			}
			golden.Close(t, "factor", got, nil, c.Value("outputs.factor"), goldenTol)
		})
	}
	if n == 0 {
		t.Error("no golden case of the schedule")
	}
}

func TestScheduleEdges(t *testing.T) {
	half := optim.CosineWarmup{Warmup: 4, Total: 20, Cycles: 0.5}
	for step := range 25 {
		if got, want := (optim.CosineWarmup{Warmup: 4, Total: 20}).Factor(step), half.Factor(step); got != want {
			t.Errorf("step %d: without cycles %v, with 0.5 %v", step, got, want)
		}
	}
	if f := (optim.CosineWarmup{}).Factor(0); f != 1 {
		t.Errorf("zero schedule starts with %v, want 1", f)
	}
	if f := (optim.CosineWarmup{Warmup: 50, Total: 500}).Factor(0); f != 0 {
		t.Errorf("a warm-up starts with %v, want 0", f)
	}
	if f := (optim.Constant{}).Factor(123); f != 1 {
		t.Errorf("constant factor %v", f)
	}
}

func TestClip(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		name string
		in   []float32
		max  float32
		norm float32
		out  []float32
	}{
		{"scaled", []float32{3, 0, 0, 0, 4}, 1, 5, []float32{0.6, 0, 0, 0, 0.8}},
		{"below", []float32{3, 4}, 6, 5, []float32{3, 4}},
		{"measured only", []float32{3, 4}, 0, 5, []float32{3, 4}},
		{"zeros", []float32{0, 0}, 1, 0, []float32{0, 0}},
		{"empty", nil, 1, 0, nil},
		{"infinite", []float32{inf, 4}, 1, inf, []float32{inf, 4}},
		{"squares beyond float32", []float32{3e30, 4e30}, 5, 5e30, []float32{3, 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := tensor.FromSlice(slices.Clone(c.in), len(c.in))
			norm := optim.ClipGradNorm([]*tensor.Tensor{nil, g}, c.max)
			if norm != c.norm && math.Abs(float64(norm-c.norm)) > 1e-6*float64(c.norm) {
				t.Errorf("norm %v, want %v", norm, c.norm)
			}
			for i, v := range g.Data() {
				if v != c.out[i] && math.Abs(float64(v-c.out[i])) > 1e-5 {
					t.Errorf("element %d is %v, want %v", i, v, c.out[i])
				}
			}
		})
	}
	if norm := optim.ClipGradNorm([]*tensor.Tensor{tensor.FromSlice([]float32{nan}, 1)}, 1); norm == norm {
		t.Errorf("norm of NaN is %v", norm)
	}
}

// The terms of a sum receive one gradient tensor; it must be scaled once.
func TestClipSharedMemory(t *testing.T) {
	tape := tensor.NewArena(1).Tape()
	defer tape.Close()
	a := tape.Watch(&tensor.Param{Name: "a", Value: tensor.FromSlice([]float32{1, 2}, 2)})
	b := tape.Watch(&tensor.Param{Name: "b", Value: tensor.FromSlice([]float32{3, 4}, 2)})
	c := tape.Watch(&tensor.Param{Name: "c", Value: tensor.FromSlice([]float32{3, 4}, 1, 2)})
	y := a.Add(b).Add(c.Reshape(2)).MulScalar(10)
	grads := tape.Grad(y.Sum(), a, b, c)
	norm := optim.ClipGradNorm(grads, 1)
	if math.Abs(float64(norm)-10*math.Sqrt(6)) > 1e-4 {
		t.Fatalf("norm %v, want %v", norm, 10*math.Sqrt(6))
	}
	want := float32(1 / math.Sqrt(6))
	for i, g := range grads {
		for _, v := range g.Data() {
			if math.Abs(float64(v-want)) > 1e-6 {
				t.Errorf("gradient %d holds %v, want %v", i, v, want)
			}
		}
	}
}

// params are three parameters and a buffer, the same for the same seed.
func params(seed uint64) []*tensor.Param {
	r := rng.Stream(seed, "params")
	ps := []*tensor.Param{
		{Name: "a", Value: tensor.New(3, 2)},
		{Name: "running", Value: tensor.New(4), Buffer: true},
		{Name: "b", Value: tensor.New(5)},
		{Name: "c", Value: tensor.New()},
	}
	for _, p := range ps {
		for i := range p.Value.Data() {
			p.Value.Data()[i] = float32(r.NormFloat64())
		}
	}
	return ps
}

func gradients(seed uint64, step int, ps []*tensor.Param) []*tensor.Tensor {
	r := rng.Stream(seed, "grads", step)
	out := make([]*tensor.Tensor, len(ps))
	for i, p := range ps {
		out[i] = tensor.New(p.Value.Shape()...)
		for k := range out[i].Data() {
			out[i].Data()[k] = float32(r.NormFloat64())
		}
	}
	return out
}

func bits(ps []*tensor.Param) [][]float32 {
	var out [][]float32
	for _, p := range ps {
		out = append(out, slices.Clone(p.Value.Data()))
	}
	return out
}

var configs = []optim.Config{
	{},
	{Name: "adam", WeightDecay: 0.1},
	{Name: "adamw", WeightDecay: 0.1},
	{Name: "sgd", WeightDecay: 0.1},
	{Name: "sgd", Momentum: 0.9},
	{Name: "sgd", Momentum: 0.9, Nesterov: true},
	{Name: "rmsprop", WeightDecay: 0.1},
}

func TestBuffersAndNilGradients(t *testing.T) {
	for _, cfg := range configs {
		t.Run(fmt.Sprintf("%+v", cfg), func(t *testing.T) {
			ps := params(1)
			opt, err := optim.New(cfg, ps)
			if err != nil {
				t.Fatal(err)
			}
			if names := len(opt.Params()); names != 3 {
				t.Fatalf("%d trainable parameters, want 3", names)
			}
			before := bits(ps)
			state := bits(opt.State().Tensors)
			grads := gradients(1, 0, opt.Params())
			grads[1] = nil // b
			opt.Step(0.1, grads)
			after := bits(ps)
			for i, p := range ps {
				changed := !slices.Equal(before[i], after[i])
				if want := p.Name == "a" || p.Name == "c"; changed != want {
					t.Errorf("%s changed: %v, want %v", p.Name, changed, want)
				}
			}
			for i, p := range opt.State().Tensors {
				if strings.HasSuffix(p.Name, ".b") && !slices.Equal(state[i], p.Value.Data()) {
					t.Errorf("%s changed without a gradient", p.Name)
				}
			}
		})
	}
}

// A parameter whose gradient was nil in the first steps is updated like a new one:
// its bias corrections count its own updates.
func TestAdamCountsUpdatesPerParameter(t *testing.T) {
	late, fresh := params(3), params(3)
	a, err := optim.NewAdam(late, optim.AdamConfig{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := optim.NewAdam(fresh, optim.AdamConfig{})
	if err != nil {
		t.Fatal(err)
	}
	grads := gradients(3, 0, a.Params())
	for range 5 {
		a.Step(0.1, []*tensor.Tensor{grads[0], nil, nil})
	}
	a.Step(0.1, grads)
	b.Step(0.1, grads)
	if !slices.Equal(late[2].Value.Data(), fresh[2].Value.Data()) {
		t.Error("skipped steps changed the first update of b")
	}
	if got := a.State().Steps; !slices.Equal(got, []int64{6, 1, 1}) {
		t.Errorf("counts %v, want [6 1 1]", got)
	}
}

func TestStateRoundTrip(t *testing.T) {
	for _, cfg := range configs {
		t.Run(fmt.Sprintf("%+v", cfg), func(t *testing.T) {
			ps, qs := params(2), params(2)
			straight, err := optim.New(cfg, ps)
			if err != nil {
				t.Fatal(err)
			}
			first, err := optim.New(cfg, qs)
			if err != nil {
				t.Fatal(err)
			}
			for step := range 4 {
				straight.Step(0.01, gradients(2, step, straight.Params()))
				first.Step(0.01, gradients(2, step, first.Params()))
			}
			second, err := optim.New(cfg, qs)
			if err != nil {
				t.Fatal(err)
			}
			if err := second.LoadState(first.State()); err != nil {
				t.Fatal(err)
			}
			for step := 4; step < 8; step++ {
				straight.Step(0.01, gradients(2, step, straight.Params()))
				second.Step(0.01, gradients(2, step, second.Params()))
			}
			for i := range ps {
				if !slices.Equal(ps[i].Value.Data(), qs[i].Value.Data()) {
					t.Errorf("%s differs after the state was handed over", ps[i].Name)
				}
			}
		})
	}
}

func TestLoadStateRefuses(t *testing.T) {
	good := func(t *testing.T) (*optim.Adam, optim.State) {
		a, err := optim.NewAdam(params(4), optim.AdamConfig{})
		if err != nil {
			t.Fatal(err)
		}
		a.Step(0.1, gradients(4, 0, a.Params()))
		return a, a.State()
	}
	for _, c := range []struct {
		name, want string
		spoil      func(*optim.State)
	}{
		{"other method", `state of optimiser "sgd", expected "adam"`, func(s *optim.State) { s.Optimizer = "sgd" }},
		{"counts missing", "0 counts of steps, expected 3", func(s *optim.State) { s.Steps = nil }},
		{"negative count", "count of steps 1 is -2", func(s *optim.State) { s.Steps[1] = -2 }},
		{"tensor missing", "5 tensors, expected 6", func(s *optim.State) { s.Tensors = s.Tensors[1:] }},
		{"other name", `no tensor "exp_avg.a"`, func(s *optim.State) { s.Tensors[0] = &tensor.Param{Name: "x", Value: s.Tensors[0].Value} }},
		{"other shape", `"exp_avg.a" has shape [2 3] in the state, expected [3 2]`, func(s *optim.State) {
			s.Tensors[0] = &tensor.Param{Name: "exp_avg.a", Value: tensor.New(2, 3)}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, state := good(t)
			c.spoil(&state)
			target, _ := good(t)
			before := bits(target.State().Tensors)
			err := target.LoadState(state)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
			for i, b := range bits(target.State().Tensors) {
				if !slices.Equal(b, before[i]) {
					t.Error("a refused state changed the optimiser")
				}
			}
		})
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		config optim.Config
		want   string // in the error; empty for none
	}{
		{optim.Config{}, ""},
		{optim.Config{Name: "adam", Betas: [2]float64{0, 0.9}}, ""},
		{optim.Config{Name: "sgd", Momentum: 0.9, Nesterov: true}, ""},
		{optim.Config{Name: "adagrad"}, `optimiser "adagrad", expected adam, adamw, sgd, rmsprop`},
		{optim.Config{Momentum: 0.9}, "adam has no Momentum"},
		{optim.Config{Name: "sgd", Eps: 1e-3, Alpha: 0.9}, "sgd has no Eps, Alpha"},
		{optim.Config{Name: "rmsprop", Betas: [2]float64{0.9, 0.9}}, "rmsprop has no Betas"},
		{optim.Config{Name: "adamw", Nesterov: true}, "adamw has no Nesterov"},
		{optim.Config{Name: "adam", Betas: [2]float64{0.9, 1}}, "adam: Betas[1] is 1, expected at least 0 and below 1"},
		{optim.Config{Name: "adam", WeightDecay: -1}, "adam: WeightDecay is -1"},
		{optim.Config{Name: "adam", Eps: math.NaN()}, "adam: Eps is NaN"},
		{optim.Config{Name: "sgd", Nesterov: true}, "Nesterov needs a Momentum"},
		{optim.Config{Name: "sgd", Momentum: 1}, "sgd: Momentum is 1"},
		{optim.Config{Name: "rmsprop", Alpha: 2}, "rmsprop: Alpha is 2"},
	} {
		err := c.config.Validate()
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c.config, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%+v: error %v, want %q in it", c.config, err, c.want)
		}
	}
}

func TestStepShapes(t *testing.T) {
	for _, name := range optim.Names() {
		opt, err := optim.New(optim.Config{Name: name}, params(5))
		if err != nil {
			t.Fatal(err)
		}
		bad := gradients(5, 0, opt.Params())
		bad[0] = tensor.New(2, 3) // right size, wrong shape
		for what, grads := range map[string][]*tensor.Tensor{"too few": bad[:1], "shape": bad} {
			err := func() (err error) {
				defer tensor.Catch(&err)
				opt.Step(0.1, grads)
				return nil
			}()
			if se := (*tensor.ShapeError)(nil); !errors.As(err, &se) {
				t.Errorf("%s, %s: error %v, want a ShapeError", name, what, err)
			}
		}
	}
}

func TestStepAllocatesNothing(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	for _, cfg := range configs {
		opt, err := optim.New(cfg, params(6))
		if err != nil {
			t.Fatal(err)
		}
		grads := gradients(6, 0, opt.Params())
		if n := testing.AllocsPerRun(20, func() {
			optim.ClipGradNorm(grads, 0.5)
			opt.Step(1e-3, grads)
		}); n != 0 {
			t.Errorf("%+v: %v allocations per step", cfg, n)
		}
	}
}

func ExampleNewAdam() {
	// Fit w in y = w·x to the points (1,2) and (2,4).
	w := &tensor.Param{Name: "w", Value: tensor.Scalar(0)}
	opt, err := optim.NewAdam([]*tensor.Param{w}, optim.AdamConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, y := tensor.FromSlice([]float32{1, 2}, 2), tensor.FromSlice([]float32{2, 4}, 2)
	schedule := optim.CosineWarmup{Warmup: 10, Total: 200}
	arena := tensor.NewArena(1)
	for step := range 200 {
		tape := arena.Tape()
		v := tape.Watch(w)
		loss := x.Mul(v).Sub(y).Square().Mean()
		grads := tape.Grad(loss, v)
		optim.ClipGradNorm(grads, 1)
		opt.Step(0.1*schedule.Factor(step), grads)
		tape.Close()
	}
	fmt.Printf("w = %.2f\n", w.Value.Item())
	// Output: w = 2.00
}
