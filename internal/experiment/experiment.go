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

// Experiment is a table or a figure of the paper: what it is called, what it takes, and
// how it is measured.
type Experiment struct {
	Name    string // "graph-classification"
	Title   string // one line
	Help    string // paragraphs; empty for none
	Example string // of its use on a command line; empty for none
	Unit    string // of its progress; empty for an epoch
	// Options are what it takes beside the seed, threads and settings of training.
	Options []Option
	// Trains says that settings of training apply (Env.Settings), but for those that
	// the experiment itself varies: Varies has their names.
	Trains bool
	Varies []string

	run func(ctx context.Context, c *call) (*report.Document, error)
}

// Option is something that an experiment can be asked for.
type Option struct {
	Name string
	Help string
	// Default has the type of the option: bool, int, float64, string, []int, []float64,
	// []string or Memory.
	Default any
	// Least is the smallest whole number, of an int or each of []int, that is taken.
	Least int
	// Setting says that it changes how models are trained, which the remarks of the
	// result then tell.
	Setting bool
}

// Memory is a number of bytes that is not to be passed; 0 for no limit. A program
// takes it as text ("4GiB"), and as a share of what is free where it is not given.
type Memory int64

// Env is what an experiment runs in.
type Env struct {
	Seed uint64
	// Threads does not change results, but those of timings.
	Threads int
	// Options are those that are given, by name, of the types of their defaults.
	Options map[string]any
	// Settings of training, where the experiment Trains: what is given of them. Changed
	// lists them for the remarks, as "--epochs 5".
	Settings settings.Values
	Changed  []string
	// Edges and Format say how data sets are read, as in task.Request.
	Edges, Format string
	// Find looks for a data set by name or path. DataDir is where it looks for names.
	Find    func(name string) (DatasetColumn, error)
	DataDir string
	// Toolkit rebuilds molecules; nil, or one that answers chem.ErrNoToolkit, for none.
	Toolkit func() (chem.Toolkit, error)
	// OnEvent is told of the progress of a grid, OnStage of that of other experiments:
	// so many steps of a stage are done, with a few words on its state. Both may be nil;
	// calls do not overlap.
	OnEvent func(Event)
	OnStage func(stage string, done, total int, text string)
	// Log gets warnings; nil for none.
	Log *slog.Logger
}

// Interrupted is the error of an experiment whose context ended, and that goes on where
// it was when it runs again with the same folder.
type Interrupted struct {
	Dir string // has what is finished
	Err error
}

func (e *Interrupted) Error() string { return e.Err.Error() }
func (e *Interrupted) Unwrap() error { return e.Err }

// Run measures the experiment. An option that it has not, or of another type, is an
// error of usage (task.IsUsage), as are data sets and models that do not exist. Where a
// part of the work failed, the document of the rest comes with the error; else the
// document is nil when there is an error.
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

// check refuses a value of another type than the default's, and a number below Least.
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

// call is a run of an experiment: Env with the defaults of its options.
type call struct {
	Env
	options map[string]Option
}

// given reports whether an option is.
func (c *call) given(name string) bool {
	_, ok := c.Options[name]
	return ok
}

// value is that of an option that the experiment has, its default where it is not given.
func value[T any](c *call, name string) T {
	if v, ok := c.Options[name]; ok {
		return v.(T)
	}
	return c.options[name].Default.(T)
}

// outOption is the folder of the files of an experiment that keeps nothing else.
var outOption = Option{Name: "out", Help: "folder that gets table.md, table.csv, table.json and report.html (default: none)", Default: ""}

// write puts the files of a document into the folder of outOption, if it is given.
func (c *call) write(d *report.Document) (*report.Document, error) {
	if dir := value[string](c, outOption.Name); dir != "" {
		if err := d.WriteFiles(dir); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// outOr is the folder of an experiment, runs/NAME where none is given.
func (c *call) outOr(name string) string {
	return cmp.Or(value[string](c, "out"), filepath.Join("runs", name))
}
