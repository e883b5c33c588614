package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ehgnn/ehgnn/internal/sanitize"
	"github.com/ehgnn/ehgnn/internal/session"
)

// State is the process state that the program uses.
type State struct {
	Args           []string  // without the name of the program
	Stdin          io.Reader // nil for none
	Stdout, Stderr io.Writer
	// Terminal says that Stderr is a terminal, on which progress may redraw lines.
	Terminal bool

	runs  *runs                     // runs of the worker that executes this command; nil for none
	alone func(*app) *cobra.Command // the only command that a worker's request needs; nil for all
}

// app is the state of one invocation with the shared flags resolved.
type app struct {
	State
	seed     uint64
	threads  int
	dataDir  string
	config   string
	json     bool
	quiet    bool
	logLevel string
	log      *slog.Logger
	repeat   *session.Request // run to repeat, if --config has the settings of a run

	out, errs *stream                       // what Stdout and Stderr write to
	screen    io.Writer                     // the original Stderr
	holds     atomic.Pointer[func() string] // see finishing
}

// verbs lists the constructors of all commands in the order of the help.
var verbs = []func(*app) *cobra.Command{
	newDemo, newData, newModels, newTrain, newSweep, newEvaluate, newPredict, newRecommend, newEmbed, newExplain, newReport, newServe, newGenerate, newOptimise, newReproduce, newBench, newVersion,
}

// Main runs the program and returns its exit code. Cancelling ctx interrupts long work, which saves
// its state first. The process should end after Main returns: a command that did not stop in time
// may still run.
func Main(ctx context.Context, s State) int {
	a := &app{State: s, out: &stream{w: s.Stdout}, errs: &stream{w: s.Stderr}, screen: s.Stderr}
	a.Stdout, a.Stderr = a.out, a.errs
	a.runs = cmp.Or(a.runs, &runs{})
	err := written(a.out, a.execute(ctx))
	code := exitCode(err)
	switch code {
	case ExitOK, ExitPipe:
	case ExitInterrupted:
		fmt.Fprintln(s.Stderr, "ehgnn: interrupted")
	case ExitDefect:
		var d *defect
		errors.As(err, &d)
		d.report(s.Stderr, s.Args)
	default:
		fmt.Fprintln(s.Stderr, "ehgnn:", sanitize.Message("ehgnn", err))
	}
	return code
}

func (a *app) root() *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:   "ehgnn",
		Short: "Learn representations of the edges of graphs",
		Long: `ehgnn learns representations of the edges of graphs, and of the nodes and graphs
around them, with the Dual Hypergraph Transformation, HyperCluster and HyperDrop
of "Edge Representation Learning with Hypergraphs" (NeurIPS 2021).

Exit codes: 0 success, 1 failed work, 2 wrong usage or unreadable input, 3 a defect of
the program, 130 interrupted, 141 nobody reads the output any more.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          verbsOnly,
		RunE: func(cmd *cobra.Command, args []string) error {
			if showVersion {
				return a.printVersion()
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			return usage(a.resolve(cmd))
		},
	}
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.Flags().BoolVar(&showVersion, "version", false, "print the version, like the command version")
	f := root.PersistentFlags()
	f.Uint64Var(&a.seed, "seed", 42, "seed of everything random")
	f.IntVar(&a.threads, "threads", runtime.NumCPU(), "threads to use; results do not depend on it")
	f.Lookup("threads").DefValue = "all cores" // shown in the help, which must be the same on every machine
	f.StringVar(&a.dataDir, "data-dir", "", "folder of known data sets (default: $EHGNN_DATA, else the user's cache folder)")
	f.StringVar(&a.config, "config", "", "YAML file with values for flags; flags win")
	f.BoolVar(&a.json, "json", false, "print one JSON document on standard output")
	f.BoolVar(&a.quiet, "quiet", false, "no progress, no remarks and no list of written files")
	f.StringVar(&a.logLevel, "log-level", "info", "debug, info, warn or error")
	complete(root, "log-level", func() []string { return []string{"debug", "info", "warn", "error"} })
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
			err = unknownFlag(cmd, unknown)
		}
		return usage(fmt.Errorf("%w; see %s --help", flagError(err), cmd.CommandPath()))
	})
	if a.alone != nil {
		root.AddCommand(a.alone(a))
		markUsage(root)
		return root
	}
	for _, verb := range verbs {
		root.AddCommand(verb(a))
	}
	root.AddCommand(newWorker(a), newMan(a)) // commands that run or describe the others
	// Cobra would add its own commands during execution. Added here, they can be made as strict as the
	// others.
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				if found, rest, err := root.Find(args); err != nil || len(rest) > 0 {
					return verbsOnly(found, rest)
				}
				return nil
			}
		case "completion":
			ofVerbs(cmd)
		}
	}
	markUsage(root)
	return root
}

// ofVerbs makes a command that only has subcommands: it prints its help.
func ofVerbs(cmd *cobra.Command, verbs ...*cobra.Command) *cobra.Command {
	cmd.Args, cmd.RunE = verbsOnly, func(cmd *cobra.Command, args []string) error { return cmd.Help() }
	cmd.AddCommand(verbs...)
	return cmd
}

// verbsOnly returns an error for unknown subcommands of a command that only has subcommands.
// Otherwise cobra would print help and report success.
func verbsOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf(", did you mean %q?", near[0])
	}
	return fmt.Errorf("unknown command %q for %q%s; see %s --help", args[0], cmd.CommandPath(), hint, cmd.CommandPath())
}

// markUsage makes errors about arguments, which cobra finds before a command runs, usage errors.
// Errors about the number of arguments show which arguments the command expects.
func markUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			err := check(c, args)
			if err != nil && !c.HasSubCommands() && c.Name() != "help" {
				err = fmt.Errorf("wrong number of arguments (%d); usage: %s", len(args), c.UseLine())
			}
			return usage(err)
		}
	}
	for _, sub := range cmd.Commands() {
		markUsage(sub)
	}
}

// atLeast returns an error for a value of a flag below the minimum.
func atLeast(flag string, value, least int) error {
	if value < least {
		return usage(fmt.Errorf("--%s is %d, expected at least %d", flag, value, least))
	}
	return nil
}

// resolve sets flags from the configuration file and checks the flags that all commands share.
func (a *app) resolve(cmd *cobra.Command) error {
	if err := a.readConfig(cmd); err != nil {
		return err
	}
	if a.threads < 1 {
		return fmt.Errorf("--threads is %d, expected at least 1", a.threads)
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.logLevel)); err != nil {
		return fmt.Errorf("--log-level is %q, expected debug, info, warn or error", a.logLevel)
	}
	if a.quiet {
		level = slog.LevelError
	}
	a.dataDir = cmp.Or(a.dataDir, defaultDataDir())
	a.log = slog.New(slog.NewTextHandler(a.Stderr, &slog.HandlerOptions{Level: level, ReplaceAttr: sanitize.Attr}))
	return nil
}

// defaultDataDir is $EHGNN_DATA or a folder in the user's cache; empty if the system has no such
// folder.
func defaultDataDir() string {
	if dir := os.Getenv("EHGNN_DATA"); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "ehgnn")
}

// emit prints a result as one JSON document, or as text by the given function.
func (a *app) emit(v any, text func(w io.Writer) error) error {
	if !a.json {
		return sanitize.Write(a.Stdout, text)
	}
	enc := json.NewEncoder(a.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// emitFiles prints which files were written, as emit does. With --quiet it prints no text, because the
// files are the result.
func (a *app) emitFiles(v any, text func(w io.Writer) error) error {
	if a.quiet && !a.json {
		return nil
	}
	return a.emit(v, text)
}

// oneOf returns an error for a value of a flag that is not allowed.
func oneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return usage(fmt.Errorf("--%s is %q, expected one of %q", flag, value, allowed))
}
