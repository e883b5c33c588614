package score

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Command is a program that reads SMILES, one in each line, and answers each with a line of
// numbers, always the same number of them. An empty line means that the molecule has no numbers,
// nan that it has no number at this place. The shell starts the program when it is first needed,
// and it keeps running. It must answer each line immediately: a program that waits for more input,
// or that buffers its output, runs into the timeout. Programs in Python are started with
// PYTHONUNBUFFERED, so that print is enough.
//
// A program that ends or takes too long is started again. If that happens twice for a molecule, the
// molecule has no answer. Several molecules in a row without an answer are an error, also over
// several calls of Score. A line that is no number is an error.
type Command struct {
	line    string
	numbers int // in a line
	timeout time.Duration

	mu       sync.Mutex
	running  *process // nil if the program does not run
	failures int      // number of molecules in a row without an answer
}

// Limits for a command.
const (
	maxAttempts = 2       // for a molecule
	maxFailures = 3       // molecules in a row without an answer
	maxAnswer   = 1 << 16 // bytes in a line
	maxErrors   = 2000    // bytes of standard error in an error message
)

// NewCommand returns a command for the shell. numbers is how many numbers an answer has. timeout is
// the limit for one molecule.
func NewCommand(line string, numbers int, timeout time.Duration) *Command {
	return &Command{line: line, numbers: numbers, timeout: timeout}
}

// Close ends the program.
func (c *Command) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stop()
	return nil
}

func (c *Command) stop() {
	if c.running != nil {
		c.running.end()
		c.running = nil
	}
}

// Score asks the program for the numbers of each molecule in turn. Concurrent callers wait for each
// other.
func (c *Command) Score(ctx context.Context, smiles []string) ([][]float64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([][]float64, 0, len(smiles))
	attempts := 0
	for len(out) < len(smiles) {
		if c.running == nil {
			p, err := start(ctx, c.line, smiles[len(out):])
			if err != nil {
				return nil, err
			}
			c.running = p
		} else if attempts == 0 && c.running.left == 0 {
			c.running.ask(smiles[len(out):])
		}
		answer, err := c.running.answer(ctx, c.timeout)
		if err == nil {
			v, err := c.read(answer)
			if err != nil {
				c.stop()
				return nil, fmt.Errorf("the command answered %s with %w", smiles[len(out)], err)
			}
			out, attempts, c.failures = append(out, v), 0, 0
			continue
		}
		c.stop()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if attempts++; attempts < maxAttempts {
			continue
		}
		if c.failures++; c.failures >= maxFailures {
			return nil, fmt.Errorf("%w, for %d molecules in a row, the last %s", err, c.failures, smiles[len(out)])
		}
		out, attempts = append(out, slices.Repeat([]float64{unanswered}, c.numbers)), 0
	}
	return out, nil
}

// read returns the numbers of an answer, NaN for missing ones. They are separated by spaces, tabs
// or commas.
func (c *Command) read(answer string) ([]float64, error) {
	fields := strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	if len(fields) == 0 {
		return slices.Repeat([]float64{math.NaN()}, c.numbers), nil
	}
	out := make([]float64, len(fields))
	var err error
	for i, f := range fields {
		if out[i], err = strconv.ParseFloat(f, 64); err != nil {
			break
		}
	}
	switch {
	case err == nil && len(fields) == c.numbers:
		return out, nil
	case c.numbers == 1:
		return nil, fmt.Errorf("%.80q, expected a line with a number", answer)
	}
	return nil, fmt.Errorf("%.80q, expected a line with %d numbers", answer, c.numbers)
}

// process is a running program.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan string // closed when the program writes no more
	left    int         // number of molecules without an answer so far
	errors  tail
	cancel  func()
}

// start runs a program and asks it for molecules.
func start(ctx context.Context, line string, smiles []string) (*process, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &process{cmd: shell(ctx, line), answers: make(chan string), cancel: cancel}
	p.cmd.Env = append(os.Environ(), "PYTHONUNBUFFERED=1")
	p.cmd.Stderr = &p.errors
	p.cmd.WaitDelay = time.Second
	in, err := p.cmd.StdinPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("the command does not start: %w", err)
	}
	p.in = in
	go func() {
		defer close(p.answers)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, maxAnswer)
		for lines.Scan() {
			select {
			case p.answers <- lines.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	p.ask(smiles)
	return p, nil
}

// ask writes molecules to the program while another goroutine reads its answers.
func (p *process) ask(smiles []string) {
	p.left = len(smiles)
	text := strings.Join(smiles, "\n") + "\n"
	go io.WriteString(p.in, text) // it fails if the program has ended, which answer reports
}

var errTimeout = errors.New("took too long")

// answer returns the next line.
func (p *process) answer(ctx context.Context, timeout time.Duration) (string, error) {
	late := time.NewTimer(timeout)
	defer late.Stop()
	select {
	case text, ok := <-p.answers:
		if !ok {
			return "", p.ended()
		}
		p.left--
		return text, nil
	case <-late.C:
		return "", fmt.Errorf("the command %w (%v without an answer; it must answer each line at once)", errTimeout, timeout)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// ended returns an error that says how a program ended.
func (p *process) ended() error {
	how := "closed its output"
	p.in.Close()
	defer time.AfterFunc(100*time.Millisecond, p.cancel).Stop() // it may have only closed its output
	if err := p.cmd.Wait(); err != nil {
		how = err.Error()
	}
	text := strings.TrimSpace(p.errors.String())
	if text != "" {
		text = ": " + text
	}
	return fmt.Errorf("the command ended without an answer (%s)%s", how, text)
}

// end kills the program if it still runs.
func (p *process) end() {
	p.in.Close()
	p.cancel()
	p.cmd.Wait() // the error only says that it was killed
	for range p.answers {
	}
}

// tail keeps the end of the text that is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - maxErrors; over > 0 {
		t.text = bytes.Clone(t.text[over:])
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
