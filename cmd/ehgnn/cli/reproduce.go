package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ehgnn/ehgnn/chem/rdkit"
	"github.com/ehgnn/ehgnn/cmd/ehgnn/taskflags"
	"github.com/ehgnn/ehgnn/internal/experiment"
	"github.com/ehgnn/ehgnn/internal/progress"
	"github.com/ehgnn/ehgnn/internal/settings"
)

func newDemo(a *app) *cobra.Command { return a.experiment(experiment.Demo) }

func newReproduce(a *app) *cobra.Command {
	cmd := ofVerbs(&cobra.Command{Use: "reproduce EXPERIMENT", Short: "Reproduce a table of the paper and compare the numbers"})
	for _, e := range experiment.Registry() {
		cmd.AddCommand(a.experiment(e))
	}
	return cmd
}

// experiment is the command of an experiment: its flags are the experiment's options and the
// settings of training, and it prints the experiment's document.
func (a *app) experiment(e experiment.Experiment) *cobra.Command {
	cmd := &cobra.Command{Use: e.Name, Short: e.Title, Long: e.Help, Example: e.Example, Args: cobra.NoArgs}
	f := cmd.Flags()
	options := map[string]func() (any, error){}
	for _, o := range e.Options {
		options[o.Name] = optionFlag(f, o)
	}
	shared := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	if e.Trains {
		taskflags.Add(shared, settings.OfData, settings.OfSplit, settings.OfModel, settings.OfTrain)
		shared.VisitAll(func(flag *pflag.Flag) {
			o, _ := settings.FindOption(flag.Name)
			if f.Lookup(flag.Name) == nil && !slices.Contains(e.Varies, flag.Name) && (o.Of != settings.OfData && o.Of != settings.OfSplit || slices.Contains(reading, flag.Name)) {
				f.AddFlag(flag)
			}
		})
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		values := taskflags.Given(shared)
		env := experiment.Env{Seed: a.seed, Threads: a.threads, Options: map[string]any{}, Changed: changed(shared),
			DataDir: a.dataDir, Toolkit: rdkit.Toolkit, Log: a.log, Find: func(name string) (experiment.DatasetColumn, error) {
				at, err := a.column(name)
				return experiment.DatasetColumn{Name: at.Name, Path: at.Path, Set: at.Set}, err
			}}
		env.Edges, _ = values["edges"].(string)
		env.Format, _ = values["format"].(string)
		delete(values, "edges")
		delete(values, "format")
		env.Settings = values
		if a.quiet {
			env.Log = slog.New(slog.DiscardHandler)
		}
		for name, value := range options {
			v, err := value()
			if err != nil {
				return usage(err)
			}
			if v != nil {
				env.Options[name] = v
			}
		}
		live, stages := a.live(cmd.Context()), &stages{app: a, unit: cmp.Or(e.Unit, "epoch")}
		env.OnEvent, env.OnStage = live.event, stages.show
		defer a.finishing(live.unfinished)()
		doc, err := e.Run(cmd.Context(), env)
		live.finish()
		stages.finish()
		if stopped := new(experiment.Interrupted); errors.As(err, &stopped) {
			a.tell("ehgnn: finished work is kept in %s; the same command continues it", stopped.Dir)
		}
		if doc == nil {
			return failure(err)
		}
		printed := a.emit(doc.Value, func(w io.Writer) error {
			text := doc.Text()
			if doc.Dir != "" {
				names := doc.FileNames()
				last := len(names) - 1
				text += fmt.Sprintf("Written to %s as %s and %s.\n", doc.Dir, strings.Join(names[:last], ", "), names[last])
			}
			_, err := io.WriteString(w, text)
			return err
		})
		if err != nil {
			return failure(err)
		}
		return printed
	}
	return cmd
}

// reading are the data settings that experiments accept.
var reading = []string{"edges", "format", "standardise"}

// changed lists the given settings of training as flags. It leaves out how data are read.
func changed(f *pflag.FlagSet) []string {
	var list []string
	f.VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Name != "format" && f.Name != "edges" {
			list = append(list, "--"+f.Name+" "+f.Value.String())
		}
	})
	return list
}

// optionFlag adds the flag of an option. value returns the given value of the flag, nil for none.
func optionFlag(f *pflag.FlagSet, o experiment.Option) (value func() (any, error)) {
	switch v := o.Default.(type) {
	case bool:
		return ifChanged(f, o.Name, f.Bool(o.Name, v, o.Help))
	case int:
		return ifChanged(f, o.Name, f.Int(o.Name, v, o.Help))
	case float64:
		return ifChanged(f, o.Name, f.Float64(o.Name, v, o.Help))
	case string:
		return ifChanged(f, o.Name, f.String(o.Name, v, o.Help))
	case []int:
		return ifChanged(f, o.Name, f.IntSlice(o.Name, v, o.Help))
	case []float64:
		return ifChanged(f, o.Name, f.Float64Slice(o.Name, v, o.Help))
	case []string:
		return ifChanged(f, o.Name, f.StringSlice(o.Name, v, o.Help))
	case experiment.Memory:
		text := f.String(o.Name, "", o.Help)
		return func() (any, error) {
			limit, err := memoryLimit(*text)
			return experiment.Memory(limit), err
		}
	}
	panic(fmt.Sprintf("cli: option %s is of a type that has no flag: %T", o.Name, o.Default))
}

func ifChanged[T any](f *pflag.FlagSet, name string, v *T) func() (any, error) {
	return func() (any, error) {
		if !f.Changed(name) {
			return nil, nil
		}
		return *v, nil
	}
}

// stages shows the progress of the stages of an experiment, one after another.
type stages struct {
	app      *app
	unit     string
	stage    string
	progress *progress.Progress
}

func (s *stages) show(stage string, done, total int, text string) {
	if s.progress == nil || stage != s.stage {
		s.finish()
		s.stage, s.progress = stage, s.app.progress(total, s.unit)
	}
	s.progress.At(done, total, stage+": "+text)
}

func (s *stages) finish() {
	if s.progress != nil {
		s.progress.Finish()
	}
}
