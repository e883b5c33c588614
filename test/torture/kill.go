//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/ehgnn/ehgnn/internal/plainyaml"
	"github.com/ehgnn/ehgnn/internal/safetensors"
)

// killed starts a call and sends it a signal at a random moment of the time that the
// uninterrupted process took. Of three signals two are SIGKILL; the others ask. It reports
// whether the process came to its end before.
func (t *trial) killed(c call, whole time.Duration) (ended bool) {
	signal := pick(t, syscall.SIGKILL, syscall.SIGKILL, syscall.SIGKILL, syscall.SIGKILL, syscall.SIGINT, syscall.SIGTERM)
	after := time.Duration(t.Float64() * 1.1 * float64(whole))
	p := t.start(c)
	select {
	case <-p.done:
		p.wait()
		p.check()
		return true
	case <-time.After(time.Until(p.began.Add(after))):
	}
	sent := time.Now()
	_ = p.cmd.Process.Signal(signal) // it may have ended
	t.tally.Signals++
	p.wait()
	switch {
	case p.signal == syscall.SIGKILL && signal == syscall.SIGKILL:
	case signal != syscall.SIGKILL && p.signal == signal && p.out.total+p.err.total == 0 && p.cpu < startCPU:
		// It came before the program could listen.
	case p.code == exitOK:
		p.check()
		return true
	case p.code == exitInterrupted && signal != syscall.SIGKILL:
		p.codes = []int{exitInterrupted}
		p.check()
		if took := time.Since(sent); took > maxStop {
			p.finding("ended %.1f s after signal %v, expected at most %v", took.Seconds(), signal, maxStop)
		}
	default:
		p.finding("after signal %v: exit code %d", signal, p.code)
	}
	return false
}

// whole checks that every file in a run folder, of a run that was killed, can be read. Lines
// that grow may end in a torn one.
func (t *trial) whole(elem ...string) {
	dir := t.path(elem...)
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return
	}
	t.must(err)
	for _, e := range entries {
		name, path := e.Name(), filepath.Join(dir, e.Name())
		if e.IsDir() || strings.HasPrefix(name, ".") {
			continue
		}
		var err error
		switch filepath.Ext(name) {
		case ".safetensors":
			_, err = safetensors.ReadFile(path)
		case ".json":
			var v any
			err = json.Unmarshal(t.read(append(elem, name)...), &v)
		case ".yaml":
			var v any
			err = plainyaml.Unmarshal(t.read(append(elem, name)...), &v)
		case ".jsonl":
			text := t.read(append(elem, name)...)
			for line := range bytes.Lines(text[:bytes.LastIndexByte(text, '\n')+1]) {
				var v any
				if err = json.Unmarshal(line, &v); err != nil {
					break
				}
			}
		}
		if err != nil {
			t.finding("%s is damaged: %v", name, err)
		}
	}
}

// same reports files that differ from those of a reference.
func (t *trial) same(r *reference, dir string, files ...string) {
	for _, name := range files {
		have, want := t.read(dir, name), r.read(dir, name)
		if !bytes.Equal(have, want) {
			t.finding("%s differs from that of the uninterrupted process: %d bytes, expected %d", filepath.Join(dir, name), len(have), len(want))
		}
	}
}
