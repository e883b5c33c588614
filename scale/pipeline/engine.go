package pipeline

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec/optimized" // fast calls of functions, without reflection
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // Beam itself stores files in it
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"github.com/ehgnn/ehgnn/internal/settings"
)

// Prism is the runner within this process.
const Prism = "prism"

// engines are Beam's names of the runners. Runners with a job service run the same jobs in the same
// way.
var engines = map[string]string{
	Prism:      "prism",
	"portable": "universal",
	"flink":    "universal",
	"spark":    "universal",
	"dataflow": "dataflow",
}

// Runners returns the names of the runners, in the order of the help.
func Runners() []string { return []string{Prism, "portable", "flink", "spark", "dataflow"} }

// Worker makes this process a worker if an engine started it as one, and then does not return. A
// program must call it first.
func Worker() {
	for _, arg := range os.Args[1:] {
		if arg == "--worker" || arg == "--worker=true" {
			flag.Parse()
			beam.Init()
		}
	}
}

// initialise initialises Beam. Its flags must have their values before.
var initialise = sync.OnceFunc(beam.Init)

// configure sets Beam's flags, which are global in the process.
func configure(runner string, flags []string) error {
	if !slices.Contains(Runners(), runner) {
		return settings.Misuse("--runner is %q, expected one of %q", runner, Runners())
	}
	*jobopts.Endpoint, *jobopts.EnvironmentType, *jobopts.EnvironmentConfig, *jobopts.Async = "", "", "", false
	set := flag.CommandLine
	output, handling := set.Output(), set.ErrorHandling()
	set.Init(set.Name(), flag.ContinueOnError)
	set.SetOutput(io.Discard)
	err := set.Parse(flags)
	rest := set.Args()
	set.Init(set.Name(), handling)
	set.SetOutput(output)
	switch {
	case err != nil:
		return settings.Misuse("flags of runner %s: %w", runner, err)
	case len(rest) > 0:
		return settings.Misuse("flags of runner %s: %q is no flag", runner, rest[0])
	case *jobopts.Async:
		return settings.Misuse("flags of runner %s: --async is no use here: each turn waits for the one before", runner)
	case engines[runner] == "universal" && *jobopts.Endpoint == "":
		return settings.Misuse("runner %s needs the address of its job service: -- --endpoint HOST:PORT", runner)
	}
	if *jobopts.WorkerBinary == "" && runtime.GOOS == "linux" {
		// Workers run this program. Without this setting Beam looks for the source and a compiler.
		if *jobopts.WorkerBinary, err = os.Executable(); err != nil {
			return fmt.Errorf("pipeline: %w", err)
		}
	}
	initialise()
	return nil
}

// execute runs a job to its end. Messages of Beam go to a log.
func execute(ctx context.Context, runner string, p *beam.Pipeline, to io.Writer) error {
	slog.SetDefault(slog.New(slog.NewTextHandler(to, nil)))
	if _, err := beam.Run(ctx, engines[runner], p); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fmt.Fprintln(to, err)
		return fmt.Errorf("runner %s: %s", runner, cause(err.Error()))
	}
	return ctx.Err()
}

// cause returns the message of this package's function in the report of a failed job, which also
// has the whole path of calls. If there is none, it returns the report.
func cause(report string) string {
	if at := strings.LastIndex(report, "Name: github.com/ehgnn/ehgnn/scale/pipeline."); at >= 0 {
		if _, said, ok := strings.Cut(report[at:], " failed:\n"); ok {
			return strings.TrimSpace(said)
		}
	}
	return report
}

// ownTemporary gives the process its own folder for temporary files, which restore removes: Beam
// leaves an empty file in it for each job whose workers are in this process.
func ownTemporary() (restore func(), err error) {
	dir, err := os.MkdirTemp("", "ehgnn-scale-")
	if err != nil {
		return nil, fmt.Errorf("pipeline: %w", err)
	}
	const name = "TMPDIR"
	old, had := os.LookupEnv(name)
	os.Setenv(name, dir)
	return func() {
		if had {
			os.Setenv(name, old)
		} else {
			os.Unsetenv(name)
		}
		os.RemoveAll(dir)
	}, nil
}
