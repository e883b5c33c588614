package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
	"github.com/ehgnn/ehgnn/internal/kernel"
	"github.com/ehgnn/ehgnn/internal/progress"
	"github.com/ehgnn/ehgnn/internal/sanitize"
	"github.com/ehgnn/ehgnn/internal/settings"
	"github.com/ehgnn/ehgnn/internal/version"
)

// Exit codes, as in ehgnn.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// verbs lists the constructors of all verbs in the order of the help.
var verbs = []func(*app) *cobra.Command{
	newPack, newTrain, newInfo, newPredict, newEmbed, newVersion,
}

// app is one call of the program.
type app struct {
	args           []string // without the program's name
	stdout, stderr io.Writer
	terminal       bool // stderr is a terminal, on which progress can redraw lines

	seed    uint64
	threads int
	json    bool
	quiet   bool
}

// run runs the verb of the arguments and returns the exit code.
func run(ctx context.Context, a *app) int {
	root := a.root()
	root.SetArgs(append([]string{}, a.args...)) // for nil, cobra would use the arguments of the process
	err := root.ExecuteContext(ctx)
	atomicfile.Discard()
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(a.stderr, "ehgnn-scale: interrupted")
		return exitInterrupted
	}
	fmt.Fprintln(a.stderr, "ehgnn-scale:", sanitize.Message("ehgnn-scale", err))
	if settings.IsUsage(err) || errors.Is(err, fs.ErrNotExist) {
		return exitUsage
	}
	return exitFailed
}

func (a *app) root() *cobra.Command {
	var showVersion bool
	root := &cobra.Command{
		Use:   "ehgnn-scale",
		Short: "Learn about the edges of graphs that do not fit into memory",
		Long: `ehgnn-scale trains on, embeds and scores graphs of labelled edges that do not fit into
memory: pack turns tables into a store, from which the other verbs work. Runs are those
of ehgnn; either program reads what the other trained.

Exit codes: 0 done, 1 the work failed, 2 wrong usage or unreadable input, 130 interrupted.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if showVersion {
				return a.printVersion()
			}
			return cmd.Help()
		},
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return atLeast("threads", a.threads, 1)
		},
	}
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.Flags().BoolVar(&showVersion, "version", false, "print the version, as the command version does")
	f := root.PersistentFlags()
	f.Uint64Var(&a.seed, "seed", 42, "seed of everything random")
	f.IntVar(&a.threads, "threads", runtime.NumCPU(), "threads to use; results do not depend on it")
	f.Lookup("threads").DefValue = "all cores" // the help is the same on every machine
	f.BoolVar(&a.json, "json", false, "print one JSON document on standard output")
	f.BoolVar(&a.quiet, "quiet", false, "no progress and no remarks")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return settings.Misuse("%w; see %s --help", err, cmd.CommandPath())
	})
	for _, verb := range verbs {
		cmd := verb(a)
		cmd.Args = usageArgs(cmd.Args)
		root.AddCommand(cmd)
	}
	return root
}

// usageArgs gives errors about arguments, which cobra finds before a verb runs, the exit code of
// wrong usage.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check == nil {
			return nil
		}
		if err := check(cmd, args); err != nil {
			return settings.Misuse("%w; usage: %s", err, cmd.UseLine())
		}
		return nil
	}
}

// atLeast returns an error if the value of a flag is too small.
func atLeast(flag string, value, least int) error {
	if value < least {
		return settings.Misuse("--%s is %d, expected at least %d", flag, value, least)
	}
	return nil
}

// oneOf returns an error if the value of a flag is not one of those allowed.
func oneOf(flag, value string, allowed ...string) error {
	for _, v := range allowed {
		if v == value {
			return nil
		}
	}
	return settings.Misuse("--%s is %q, expected one of %q", flag, value, allowed)
}

// emit prints a result as one JSON document, or as text with the given function.
func (a *app) emit(v any, text func(w io.Writer) error) error {
	if !a.json {
		return sanitize.Write(a.stdout, text)
	}
	enc := json.NewEncoder(a.stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// remark prints a remark on standard error, unless --quiet is set.
func (a *app) remark(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintln(a.stderr, sanitize.Short(sanitize.Text(fmt.Sprintf(format, args...))))
	}
}

// progress shows the progress of long work on standard error, unless --quiet is set.
func (a *app) progress(total int, unit string) *progress.Progress {
	return progress.Screen{W: a.stderr, Terminal: a.terminal, Quiet: a.quiet}.Start(total, unit)
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

// printVersion runs the verb version and the flag --version.
func (a *app) printVersion() error {
	v := version.Get(kernel.Level())
	return a.emit(v, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "ehgnn-scale %s\n", v)
		return err
	})
}
