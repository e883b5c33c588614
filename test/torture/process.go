//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// Bounds of every process whose input is below 10 MB.
const (
	maxRSS     = 2 << 30               // bytes
	maxCPU     = 30 * time.Second      // of all threads, which unlike the clock does not depend on what runs beside
	maxWall    = 90 * time.Second      // then it is killed: it hangs
	maxLarge   = 20 * time.Second      // after which large settings are interrupted
	maxStop    = 15 * time.Second      // from a signal that asks a process to end to its end
	startCPU   = 30 * time.Millisecond // until the program listens to signals
	maxMessage = 8 << 10               // bytes on standard error
	maxSpace   = 8 << 30               // of addresses; a process that asks for more is stopped for the sake of the machine
	keptOutput = 4 << 20               // bytes of standard output that are kept
)

// Exit codes of the program.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
	exitNoReader    = 141 // whoever read standard output has gone away
)

// A call is one execution of the program.
type call struct {
	args   []string
	codes  []int    // exit codes that are right; nil for 0 alone
	env    []string // added to the environment
	stdin  []byte
	stdout *os.File // nil to keep what is written
	// shell is run by a shell before the program, which replaces the shell: limits.
	shell string
	// starved allows the Go runtime to end the process for want of memory or threads, which
	// a program cannot catch.
	starved bool
	talks   bool // standard error may be long: progress
	// large allows a process that succeeds to take much memory and time, as its settings say.
	// One that is still at work after a while is interrupted.
	large bool
	user  bool // runs as nobody if this process is root, for whom there are no permissions
}

// A process is a call that was started.
type process struct {
	call
	t        *trial
	cmd      *exec.Cmd
	out, err capture
	began    time.Time
	done     chan struct{} // closed when it has ended
	hung     bool

	code   int            // -1 when a signal ended it
	signal syscall.Signal // 0 when it exited
	took   time.Duration
	cpu    time.Duration
	rss    int64
}

// capture keeps the beginning of what is written to it.
type capture struct {
	text  []byte
	limit int
	total int
}

func (c *capture) Write(p []byte) (int, error) {
	c.total += len(p)
	c.text = append(c.text, p[:min(len(p), c.limit-len(c.text))]...)
	return len(p), nil
}

func (c *capture) String() string { return string(c.text) }

// nobody is the user without rights.
const nobody = 65534

// start starts a process in the folder of the trial.
func (t *trial) start(c call) *process {
	p := &process{call: c, t: t, done: make(chan struct{})}
	p.out.limit, p.err.limit = keptOutput, 256<<10
	if c.shell == "" {
		p.cmd = exec.Command(t.lab.binary, c.args...)
	} else {
		p.cmd = exec.Command("bash", append([]string{"-c", c.shell + "\nexec \"$0\" \"$@\"", t.lab.binary}, c.args...)...)
	}
	p.cmd.Dir = t.dir
	home := filepath.Join(t.dir, "home")
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "EHGNN_DATA=" + filepath.Join(home, "data"), "TMPDIR=" + t.dir}, c.env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.err
	if c.stdout != nil {
		p.cmd.Stdout = c.stdout
	}
	if c.stdin != nil {
		p.cmd.Stdin = bytes.NewReader(c.stdin)
	}
	// What this process leaves behind when it is killed itself would go on for ever.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if c.user && os.Getuid() == 0 {
		p.cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	p.cmd.WaitDelay = time.Second // standard output may have been handed on
	p.began = time.Now()
	if err := p.cmd.Start(); err != nil {
		t.fatal("cannot start %s: %v", p.command(), err)
	}
	limit := unix.Rlimit{Cur: maxSpace, Max: maxSpace}
	if c.shell == "" {
		_ = unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_AS, &limit, nil) // it may have ended
	}
	go func() {
		defer close(p.done)
		wall, signal := maxWall, syscall.SIGQUIT // for the stacks
		if c.large {
			wall, signal = maxLarge, syscall.SIGINT
		}
		timer := time.AfterFunc(wall, func() { p.hung = true; _ = p.cmd.Process.Signal(signal) })
		hard := time.AfterFunc(wall+maxStop, func() { _ = p.cmd.Process.Kill() })
		_ = p.cmd.Wait() // its state says how it ended
		timer.Stop()
		hard.Stop()
		p.took = time.Since(p.began)
	}()
	return p
}

// wait waits for the end of a process and notes what it took.
func (p *process) wait() {
	<-p.done
	state := p.cmd.ProcessState
	p.code = state.ExitCode()
	if status := state.Sys().(syscall.WaitStatus); status.Signaled() {
		p.signal = status.Signal()
	}
	usage := state.SysUsage().(*syscall.Rusage)
	// The kernel counts in what a process held before it began to be another program: this one.
	p.rss, p.cpu = int64(usage.Maxrss)<<10, state.SystemTime()+state.UserTime()
	p.t.count(p)
}

// run runs a call to its end and holds it to the bounds.
func (t *trial) run(c call) *process {
	p := t.start(c)
	p.wait()
	p.check()
	return p
}

// check holds a process that nobody killed to the bounds of all.
func (p *process) check() {
	codes := p.codes
	if codes == nil {
		codes = []int{exitOK}
	}
	text := p.err.String()
	switch {
	case p.hung && p.large && (p.code == exitInterrupted || p.code == exitOK):
		return
	case p.hung && p.large:
		p.finding("at work after %v, and not ended by SIGINT: exit code %d", maxLarge, p.code)
		return
	case p.hung:
		p.finding("not done after %v", maxWall)
		return
	case p.starved && (runtimeEnded(text) || p.signal == syscall.SIGSEGV && text == ""):
		return // the second is how the runtime ends before it can say anything
	case p.signal != 0:
		p.finding("ended by signal %d (%v)", p.signal, p.signal)
	case strings.Contains(text, "panic:") || strings.Contains(text, "goroutine ") || strings.Contains(text, "fatal error:"):
		p.finding("exit code %d with a Go stack", p.code)
	case !slices.Contains(codes, p.code):
		p.finding("exit code %d, expected one of %v", p.code, codes)
	}
	if p.code != exitOK && p.signal == 0 && strings.TrimSpace(text) == "" {
		p.finding("exit code %d without a message", p.code)
	}
	if !p.talks && p.err.total > maxMessage {
		p.finding("a message of %d bytes, expected at most %d", p.err.total, maxMessage)
	}
	if r, bad := unprintable(text); bad {
		p.finding("standard error holds %s", r)
	}
	if r, bad := unprintable(p.out.String()); bad && p.out.total <= keptOutput && slices.Contains(p.args, "info") {
		p.finding("standard output holds %s", r)
	}
	if p.large && p.code == exitOK {
		return
	}
	if p.rss > maxRSS {
		p.finding("peak memory %d MB, expected at most %d", p.rss/1e6, maxRSS/1_000_000)
	}
	if p.cpu > maxCPU {
		p.finding("%.1f s of processor time, expected at most %v", p.cpu.Seconds(), maxCPU)
	}
}

// runtimeEnded reports whether the Go runtime gave up for want of memory, threads or files.
func runtimeEnded(text string) bool {
	for _, reason := range []string{"out of memory", "cannot allocate", "failed to create new OS thread", "netpollinit failed", "eventfd failed", "epollcreate failed", "failed to reserve", "pthread_create failed", "runtime: cannot map pages", "failed to allocate"} {
		if strings.Contains(text, reason) {
			return true
		}
	}
	return false
}

// unprintable finds what a terminal would obey, and what is no text.
func unprintable(text string) (what string, found bool) {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 && i+utf8.UTFMax <= len(text) {
				return fmt.Sprintf("a byte %#x that is no UTF-8", text[i]), true
			}
		}
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return fmt.Sprintf("the control character %U", r), true
		}
	}
	return "", false
}

// refused reports whether a process ended with a code of refusal.
func (p *process) refused() bool { return p.code == exitFailed || p.code == exitUsage }

// names checks that the message of a refusal names a file or what else is wanted.
func (p *process) names(what string) {
	if p.refused() && !strings.Contains(p.err.String(), what) {
		p.finding("the message does not name %s", what)
	}
}

// command is the call as one types it.
func (p *process) command() string {
	words := slices.Concat([]string{p.t.lab.binary}, p.args)
	for i, w := range words {
		if len(w) > 200 {
			w = w[:200] + "..."
		}
		if w == "" || strings.ContainsFunc(w, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"'$\;&|<>*?()`, r) }) {
			w = fmt.Sprintf("%q", w)
		}
		words[i] = w
	}
	text := strings.Join(words, " ")
	if p.shell != "" {
		text = p.shell + "; " + text
	}
	return text
}
