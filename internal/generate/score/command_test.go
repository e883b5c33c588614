//go:build unix

package score_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ehgnn/ehgnn/internal/generate/score"
)

// Programs for the shell. They fail for the molecule X.
const (
	lengths = `while read m; do echo ${#m}; done`
	dies    = `while read m; do if [ $m = X ]; then exit 3; fi; echo ${#m}; done`
	once    = `read m; echo ${#m}`
)

// unanswered is the number of a molecule without an answer.
var unanswered = math.Inf(-1)

func TestCommand(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name, line string
		numbers    int // 0 for 1
		ask        []string
		want       []float64 // one row after the other
		wrong      string
	}{
		{name: "answers", line: lengths, ask: []string{"C", "CCO", "CC"}, want: []float64{1, 3, 2}},
		{name: "nothing to ask", line: lengths},
		{name: "has two numbers", line: `while read m; do if [ $m = X ]; then echo; else echo "${#m}, nan"; fi; done`, numbers: 2, ask: []string{"CCO", "X"}, want: []float64{3, nan, nan, nan}},
		{name: "dies over one of two numbers", line: `while read m; do if [ $m = X ]; then exit 3; fi; printf '%s\t%s\n' ${#m} -1; done`, numbers: 2, ask: []string{"X", "CC"}, want: []float64{unanswered, unanswered, 2, -1}},
		{name: "has too few numbers", line: lengths, numbers: 2, ask: []string{"C"}, wrong: `"1", expected a line with 2 numbers`},
		{name: "has too many numbers", line: `while read m; do echo 1 2; done`, ask: []string{"C"}, wrong: `"1 2", expected a line with a number`},
		{name: "has no number", line: `while read m; do if [ $m = X ]; then echo nan; else echo; fi; done`, ask: []string{"X", "C"}, want: []float64{nan, nan}},
		{name: "ends after each", line: once, ask: []string{"C", "CCO", "CC"}, want: []float64{1, 3, 2}},
		{name: "dies over one", line: dies, ask: []string{"CC", "X", "CCC"}, want: []float64{2, unanswered, 3}},
		{name: "says why it dies", line: `echo no licence >&2; exit 7`, ask: []string{"C", "CC", "CCC"}, wrong: "exit status 7): no licence, for 3 molecules in a row, the last CCC"},
		{name: "is no program", line: `/nowhere/at-all`, ask: []string{"C", "C", "C"}, wrong: "exit status 127"},
		{name: "talks", line: `while read m; do echo fine; done`, ask: []string{"C"}, wrong: `"fine", expected a line with a number`},
		{name: "closes its output", line: `exec >&-; sleep 600`, ask: []string{"C", "C", "C"}, wrong: "without an answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cmd := score.NewCommand(c.line, max(c.numbers, 1), time.Minute)
			defer cmd.Close()
			got, err := cmd.Score(t.Context(), c.ask)
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Fatalf("%v, expected %q", err, c.wrong)
				}
				return
			}
			if err != nil || !same(slices.Concat(got...), c.want) {
				t.Fatalf("%v, %v, expected %v", got, err, c.want)
			}
			// The program still runs or is started again.
			if got, err = cmd.Score(t.Context(), c.ask); err != nil || !same(slices.Concat(got...), c.want) {
				t.Errorf("again: %v, %v, expected %v", got, err, c.want)
			}
		})
	}
}

// A program that hangs over a molecule is started again. A machine with much other work needs a longer timeout for the
// other molecules.
func TestCommandHangs(t *testing.T) {
	want := []float64{2, unanswered, 3}
	for timeout := 100 * time.Millisecond; ; timeout *= 4 {
		cmd := score.NewCommand(`while read m; do if [ $m = X ]; then sleep 600; fi; echo ${#m}; done`, 1, timeout)
		got, err := cmd.Score(t.Context(), []string{"CC", "X", "CCC"})
		again, errAgain := cmd.Score(t.Context(), []string{"C"}) // of the program that was started again
		cmd.Close()
		if err == nil && errAgain == nil && same(slices.Concat(got...), want) && same(again[0], []float64{1}) {
			return
		}
		if timeout > 10*time.Second {
			t.Fatalf("%v, %v, expected %v; %v, %v, expected 1", got, err, want, again, errAgain)
		}
	}
}

// A program that has ended is an error, also if each call asks for few molecules. A program that
// answers some of them is not.
func TestCommandFailsOverCalls(t *testing.T) {
	for _, c := range []struct {
		name, line string
		calls      int // with an answer
	}{
		{"dead", `exit 7`, 1},
		{"answers in between", dies, 4},
	} {
		cmd := score.NewCommand(c.line, 1, time.Minute)
		defer cmd.Close()
		for call := range 4 {
			_, err := cmd.Score(t.Context(), []string{"X", "CC"})
			if failed := err != nil; failed != (call >= c.calls) {
				t.Errorf("%s: call %d: %v", c.name, call, err)
			}
		}
	}
}

// Many molecules do not block the pipe while nobody reads the answers, and the program is not
// started again.
func TestCommandStays(t *testing.T) {
	cmd := score.NewCommand(`n=0; while read m; do n=$((n+1)); printf '%020d\n' $n; done`, 1, time.Minute)
	defer cmd.Close()
	ask := make([]string, 5000)
	for i := range ask {
		ask[i] = strings.Repeat("C", 40)
	}
	for range 2 {
		if _, err := cmd.Score(t.Context(), ask); err != nil {
			t.Fatal(err)
		}
	}
	got, err := cmd.Score(t.Context(), ask[:1])
	if err != nil || got[0][0] != 10001 {
		t.Errorf("%v, %v, expected 10001", got, err)
	}
}

func TestCommandCancelled(t *testing.T) {
	cmd := score.NewCommand(`sleep 60`, 1, time.Minute)
	defer cmd.Close()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := cmd.Score(ctx, []string{"C"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
