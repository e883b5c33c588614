package experiment

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"reflect"

	"github.com/ehgnn/ehgnn/chem"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Experiment is a table or a figure of the paper: its name, its options and its measurement.
type Experiment struct {
	Name    string // "graph-classification"
	Title   string // one line
	Help    string // paragraphs; empty for none
	Example string // example command; empty for none
	Unit    string // unit of its progress; empty for epochs
	// Options are options other than seed, threads and settings of training.
	Options []Option
	// Trains says that settings of training apply (Env.Settings), except those that the experiment
	// varies: Varies has their names.
	Trains bool
	Varies []string

	run func(ctx context.Context, c *call) (*report.Document, error)
}

// Option is an option of an experiment.
type Option struct {
	Name string
	Help string
	// Default has the type of the option: bool, int, float64, string, []int, []float64,
	// []string or Memory.
	Default any
	// Least is the smallest allowed value of an int, or of each of []int.
	Least int
	// Setting says that the option changes how models are trained; remarks of the result then mention
	// it.
	Setting bool
}

// Memory is a limit in bytes; 0 for none. A program parses it from text ("4GiB"); the default is a
// share of the free memory.
type Memory int64

// Env is the environment of an experiment.
type Env struct {
	Seed uint64
	// Threads changes no results except timings.
	Threads int
	// Options are the given options by name, with the types of their defaults.
	Options map[string]any
	// Settings are the given settings of training, if the experiment Trains. Changed lists them for
	// the remarks, for example "--epochs 5".
	Settings settings.Values
	Changed  []string
	// Edges and Format say how data sets are read, as in session.Request.
	Edges, Format string
	// Find finds a data set by name or path. It looks for names in DataDir.
	Find    func(name string) (DatasetColumn, error)
	DataDir string
	// Toolkit rebuilds molecules; nil, or a toolkit that returns chem.ErrNoToolkit, for none.
	Toolkit func() (chem.Toolkit, error)
	// OnEvent receives the progress of a grid, OnStage that of other experiments: the number of
	// finished steps of a stage, and a short text. Both may be nil; calls do not overlap.
	OnEvent func(Event)
	OnStage func(stage string, done, total int, text string)
	// Log receives warnings; nil for none.
	Log *slog.Logger
}

// Interrupted is the error of an experiment whose context ended. Running it again with the same
// folder continues it.
type Interrupted struct {
	Dir string // has the finished work
	Err error
}

func (e *Interrupted) Error() string { return e.Err.Error() }
func (e *Interrupted) Unwrap() error { return e.Err }

// Run measures the experiment. Unknown options, options of the wrong type, and unknown data sets
// and models are usage errors (settings.IsUsage). If only a part of the work failed, the document
// of the rest is returned with the error; otherwise the document is nil if there is an error.
func (e Experiment) Run(ctx context.Context, env Env) (*report.Document, error) {
	c := &call{Env: env, options: map[string]Option{}}
	for _, o := range e.Options {
		c.options[o.Name] = o
	}
	for name, v := range env.Options {
		o, ok := c.options[name]
		if !ok {
			return nil, settings.Misuse("experiment: %s has no option %s", e.Name, name)
		}
		if err := o.check(v); err != nil {
			return nil, err
		}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return e.run(ctx, c)
}

// check returns an error for a value of another type than the default, and for a number below Least.
func (o Option) check(v any) error {
	if have, want := reflect.TypeOf(v), reflect.TypeOf(o.Default); have != want {
		return settings.Misuse("experiment: option %s is of type %v, expected %v", o.Name, have, want)
	}
	numbers, _ := v.([]int)
	if n, ok := v.(int); ok {
		numbers = []int{n}
	}
	for _, n := range numbers {
		if n < o.Least {
			return settings.Misuse("--%s is %d, expected at least %d", o.Name, n, o.Least)
		}
	}
	return nil
}

// call is one run of an experiment: Env with the defaults of its options.
type call struct {
	Env
	options map[string]Option
}

// given reports whether an option is given.
func (c *call) given(name string) bool {
	_, ok := c.Options[name]
	return ok
}

// value is the value of an option of the experiment, or its default.
func value[T any](c *call, name string) T {
	if v, ok := c.Options[name]; ok {
		return v.(T)
	}
	return c.options[name].Default.(T)
}

// outOption is the output folder of an experiment that stores nothing else.
var outOption = Option{Name: "out", Help: "folder that gets table.md, table.csv, table.json and report.html (default: none)", Default: ""}

// write writes the files of a document to the folder of outOption, if it is given.
func (c *call) write(d *report.Document) (*report.Document, error) {
	if dir := value[string](c, outOption.Name); dir != "" {
		if err := d.WriteFiles(dir); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// outOr is the folder of an experiment; runs/NAME by default.
func (c *call) outOr(name string) string {
	return cmp.Or(value[string](c, "out"), filepath.Join("runs", name))
}
