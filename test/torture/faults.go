//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// faults lets the system fail.
var faults = scenario{
	name:  "fault/system",
	about: "full disks, limits of files, memory and file size, folders that are read-only, no HOME, closed and full standard streams, SIGHUP, a reader that goes away",
	share: 2, quick: 36,
	trial: func(t *trial) {
		t.takes("TOY")
		run := t.trained("hyperdrop")
		t.must(os.CopyFS(t.path("trained"), os.DirFS(filepath.Join(run.dir, "run"))))
		systemFaults[t.index%len(systemFaults)](t)
	},
}

// Verbs that write, with what they write. The first is a folder of a run.
var writing = []struct {
	out  string
	args []string
}{
	{"run", []string{"train", "data/TOY", "--out", "run", "--epochs", "20", "--hidden", "8", "--quiet", "--threads", "1"}},
	{"p.csv", []string{"predict", "trained", "data/TOY", "--out", "p.csv", "--split", "all"}},
	{"e.npy", []string{"embed", "trained", "data/TOY", "--out", "e.npy"}},
	{"why.html", []string{"explain", "trained", "data/TOY", "--out", "why.html"}},
	{"converted", []string{"data", "convert", "data/TOY", "converted", "--to", "csv"}},
	{"c.zip", []string{"data", "convert", "data/TOY", "c.zip"}},
	{"grid", []string{"reproduce", "graph-classification", "--dataset", "data/TOY", "--model", "gcn", "--epochs", "2", "--hidden", "4", "--folds", "1,2", "--out", "grid", "--quiet"}},
}

// systemFaults are the ways in which the system fails.
var systemFaults = []func(t *trial){
	// A device that is full.
	func(t *trial) {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		t.must(err)
		defer full.Close()
		args := pick(t, []string{"--help"}, []string{"train", "--help"}, []string{"version"}, []string{"version", "--json"}, []string{"data", "list"}, []string{"data", "info", "data/TOY"},
			[]string{"predict", "trained", "data/TOY"}, []string{"embed", "trained", "data/TOY"}, []string{"evaluate", "trained"}, []string{"evaluate", "trained", "--json"}, []string{"explain", "trained"}, []string{"report", "trained"}, []string{"completion", "bash"}, []string{"help", "train"},
			[]string{"data", "convert", "data/TOY", "converted"}, []string{"train", "data/TOY", "--epochs", "1", "--hidden", "4", "--out", "run"})
		t.run(call{args: args, stdout: full, codes: []int{exitFailed}})
	},
	func(t *trial) {
		out := pick(t, "predict", "embed")
		t.run(call{args: []string{out, "trained", "data/TOY", "--out", "/dev/full"}, codes: []int{exitFailed, exitUsage}})
	},
	// No file may grow past a size: what a full disk does.
	func(t *trial) {
		w := pick(t, writing...)
		t.outOfRoom(w.out, call{args: w.args, shell: fmt.Sprintf("ulimit -f %d", t.IntN(24)), codes: []int{exitOK, exitFailed, exitUsage}})
	},
	// A file system that is full.
	func(t *trial) {
		w := pick(t, writing...)
		shell := fmt.Sprintf("mkdir -p small && mount -t tmpfs -o size=%dk none small && cp -r data trained small/ && cd small", 120+t.IntN(72)) // where the sets alone take 112
		if p := t.start(call{args: []string{"version"}, shell: "unshare -rm true"}); func() bool { p.wait(); return p.code != exitOK }() {
			return // no mounts here
		}
		c := call{args: w.args, codes: []int{exitOK, exitFailed, exitUsage}}
		// What is left is listed from inside, as the file system ends with the process.
		c.shell = "exec unshare -rm bash -c '" + shell + " && \"$0\" \"$@\"; code=$?; ls -A . | grep -F .tmp- >&2; exit $code' \"$0\" \"$@\""
		p := t.run(c)
		if strings.Contains(p.err.String(), ".tmp-") && p.code != exitOK && strings.Contains("\n"+p.err.String(), "\n.") {
			p.finding("temporary files are left on the full disk")
		}
	},
	// Few files may be open.
	func(t *trial) {
		w := pick(t, writing...)
		t.outOfRoom(w.out, call{args: w.args, shell: fmt.Sprintf("ulimit -n %d", 4+t.IntN(12)), codes: []int{exitOK, exitFailed, exitUsage}, starved: true})
	},
	// Little memory. The Go runtime ends a program that gets none; what it leaves counts.
	func(t *trial) {
		w := pick(t, writing...)
		t.outOfRoom(w.out, call{args: w.args, shell: fmt.Sprintf("ulimit -v %d", 1<<(14+t.IntN(8))), codes: []int{exitOK, exitFailed, exitUsage}, starved: true})
	},
	// No threads.
	func(t *trial) {
		w := pick(t, writing...)
		t.outOfRoom(w.out, call{args: w.args, shell: fmt.Sprintf("ulimit -u %d", 1+t.IntN(8)), codes: []int{exitOK, exitFailed, exitUsage}, starved: true, user: false})
	},
	// Folders in which nothing may be written.
	func(t *trial) {
		w := pick(t, writing...)
		t.must(os.Mkdir(t.path("locked"), 0o555))
		args := append([]string{}, w.args...)
		for i, a := range args {
			if a == w.out {
				args[i] = "locked/" + w.out
			}
		}
		p := t.run(call{args: args, codes: []int{exitFailed, exitUsage}, user: true})
		p.names("locked")
	},
	// A run folder that is read-only is good enough to be used.
	func(t *trial) {
		t.must(os.Chmod(t.path("trained"), 0o555))
		verb := pick(t, []string{"evaluate", "trained", "data/TOY"}, []string{"predict", "trained", "data/TOY"}, []string{"embed", "trained", "data/TOY"}, []string{"explain", "trained", "data/TOY"})
		t.run(call{args: verb, user: true})
		p := t.run(call{args: []string{"train", "--resume", "--out", "trained", "--quiet"}, codes: []int{exitOK, exitFailed, exitUsage}, user: true})
		p.names("trained")
		t.must(os.Chmod(t.path("trained"), 0o755))
	},
	// No HOME, no cache folder, no TMPDIR.
	func(t *trial) {
		env := []string{"HOME=" + pick(t, "", "/nonexistent", "/dev/null"), "EHGNN_DATA=", "XDG_CACHE_HOME=", "TMPDIR=/nonexistent"}
		args := pick(t, writing...).args
		t.run(call{args: args, env: env})
		t.run(call{args: pick(t, []string{"data", "list"}, []string{"version"}, []string{"train", "--help"}), env: env})
		t.run(call{args: []string{"data", "info", "MUTAG"}, env: env, codes: []int{exitUsage}})
		t.run(call{args: []string{"data", "fetch", "MUTAG", "--url", "http://127.0.0.1:1", "--retries", "0"}, env: env, codes: []int{exitFailed, exitUsage}})
	},
	// Streams that are closed.
	func(t *trial) {
		w := pick(t, writing...)
		t.run(call{args: w.args, shell: "exec <&-"})
		t.run(call{args: pick(t, []string{"predict", "trained", "data/TOY"}, []string{"version"}, []string{"train", "--help"}, []string{"data", "info", "data/TOY"}), shell: "exec >&-", codes: []int{exitOK, exitFailed}}) // Go puts /dev/null in its place
		t.run(call{args: []string{"predict", "trained", "-"}, shell: "exec <&-", codes: []int{exitOK, exitFailed, exitUsage}})
	},
	func(t *trial) {
		// Without standard error, too, a file that is written must not get the messages.
		w := pick(t, writing[1:4]...)
		p := t.start(call{args: w.args, shell: "exec 2>&-", codes: []int{exitOK}})
		p.wait()
		if p.code != exitOK {
			p.finding("exit code %d without standard error", p.code)
		}
	},
	// A reader that goes away.
	func(t *trial) {
		r, w, err := os.Pipe()
		t.must(err)
		p := t.start(call{args: pick(t, []string{"predict", "trained", "data/TOY"}, []string{"embed", "trained", "data/TOY"}, []string{"train", "--help"}), stdout: w})
		w.Close()
		r.Close()
		p.wait()
		// Ended by SIGPIPE, or as a shell tells that, or by an error of writing.
		if p.signal == syscall.SIGPIPE || p.code == exitNoReader {
			return
		}
		p.codes = []int{exitOK, exitFailed}
		p.check()
	},
	// The terminal is closed: SIGHUP saves the state as SIGTERM does.
	func(t *trial) {
		kind := trainingNamed("hyperdrop-long")
		r := t.trained(kind.name)
		p := t.start(kind.call("1"))
		for !exists(t.path("run", "checkpoint.safetensors")) && p.running() {
			time.Sleep(time.Millisecond)
		}
		_ = p.cmd.Process.Signal(syscall.SIGHUP) // it may have ended
		t.tally.Signals++
		p.wait()
		p.codes = []int{exitInterrupted, exitOK}
		p.check()
		t.run(kind.call("2", "--resume"))
		t.same(r, "run", "model.safetensors", "predictions.csv")
		t.leftovers("run")
	},
	// A signal that is ignored from the beginning, as under nohup, stays ignored.
	func(t *trial) {
		p := t.start(call{args: writing[0].args, shell: "trap '' HUP"})
		time.Sleep(20 * time.Millisecond)
		_ = p.cmd.Process.Signal(syscall.SIGHUP) // it may have ended
		t.tally.Signals++
		p.wait()
		p.check()
	},
	// Signals while a text is parsed.
	func(t *trial) {
		var big strings.Builder
		big.WriteString("source,target,label,amount\n")
		for i := range 180_000 {
			fmt.Fprintf(&big, "a%d,b%d,%c,%d\n", i%1000, i%997, 'x'+i%2, i%7)
		}
		t.write("big.csv", []byte(big.String()))
		signal := pick(t, syscall.SIGINT, syscall.SIGTERM)
		p := t.start(call{args: pick(t, []string{"data", "info", "big.csv"}, []string{"train", "big.csv", "--epochs", "1", "--hidden", "4", "--out", "run", "--quiet"})})
		time.Sleep(time.Duration(20+t.IntN(150)) * time.Millisecond)
		sent := time.Now()
		_ = p.cmd.Process.Signal(signal) // it may have ended
		t.tally.Signals++
		p.wait()
		p.codes = []int{exitInterrupted, exitOK}
		p.check()
		if took := time.Since(sent); took > 5*time.Second {
			p.finding("ended %.1f s after a signal", took.Seconds())
		}
	},
	// A pipe for the data, and one without a writer for a while.
	func(t *trial) {
		t.must(syscall.Mkfifo(t.path("pipe.csv"), 0o644))
		go func() {
			f, err := os.OpenFile(t.path("pipe.csv"), os.O_WRONLY, 0)
			if err == nil {
				_, _ = f.Write(bytes.Repeat([]byte("source,target,label\na,b,x\n"), 1+t.index%3)) // the reader may go away
				f.Close()
			}
		}()
		t.run(call{args: []string{"data", "info", "pipe.csv"}, codes: []int{exitOK, exitUsage}})
	},
	// Devices without end.
	func(t *trial) {
		device := pick(t, "/dev/zero", "/dev/urandom", "/dev/null", "/dev/tty", "/proc/self/mem")
		t.run(call{args: pick(t, []string{"data", "info", device}, []string{"train", device, "--out", "run", "--quiet"}, []string{"predict", "trained", device},
			[]string{"train", "data/TOY", "--config", device, "--epochs", "1", "--hidden", "4", "--out", "run", "--quiet"}, []string{"evaluate", device}),
			codes: []int{exitFailed, exitUsage, exitOK}})
	},
}

// running reports whether a process has not ended.
func (p *process) running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// outOfRoom runs a call that is short of something. It may succeed or fail; what it leaves
// is whole, and the same call without limits succeeds after it.
func (t *trial) outOfRoom(out string, c call) {
	p := t.run(c)
	if p.code == exitOK {
		return
	}
	folder := out == "run" || out == "grid"
	switch {
	case folder:
		t.whole(out)
	case exists(t.path(out)):
		p.finding("failed, but there is %s", out)
	}
	if out == "run" && exists(t.path("run", "config.yaml")) {
		c.args = append(c.args[:len(c.args):len(c.args)], "--resume")
	}
	t.run(call{args: c.args})
	t.leftovers()
	if folder {
		t.leftovers(out)
	}
}
