//go:build linux

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// damageRun damages a file of a run folder and uses the run.
var damageRun = scenario{
	name:  "damage/run",
	about: "a file of a run folder is damaged; evaluate, predict, embed and train --resume give the right result or refuse it by name",
	share: 3, quick: 60,
	trial: func(t *trial) {
		// Every file, damage and verb has its turn; the place of the damage is drawn.
		i := t.index
		verb := damageVerbs[i%len(damageVerbs)]
		i /= len(damageVerbs)
		kind := damages[i%len(damages)]
		i /= len(damages)
		name := pick(t, "hyperdrop", "ehgnn-edge", "nodes")
		run := t.trained(name)
		if verb.resume && t.IntN(2) == 0 {
			run = t.stopped("hyperdrop-long")
			name = "hyperdrop-long"
		}
		files := runFiles(run)
		file := files[(i+t.IntN(len(files)))%len(files)]
		args := slices.Clone(verb.args)
		if len(args) == 3 && args[2] == "DATA" {
			args[2] = "data/" + trainingNamed(name).path
		}
		c := call{args: append(args, "--threads", "1"), codes: []int{exitOK, exitFailed, exitUsage}}
		prepare := func(t *trial) {
			t.must(os.CopyFS(t.dir, os.DirFS(run.dir)))
		}
		right := t.reference("damage-"+name+"-"+args[0], prepare, c)
		prepare(t)
		path := t.path("run", file)
		text := t.read("run", file)
		if kind.device && verb.resume {
			return // what is written there goes to the device
		}
		if !kind.do(t, path, text) {
			return // it changes nothing
		}
		c.user = kind.name == "no permission" && !verb.resume
		if c.user {
			t.must(os.Chmod(t.dir, 0o755))
		}
		p := t.run(c)
		if p.refused() {
			// Settings that do not go with the weights or the checkpoint are told as such.
			if file != "config.yaml" || !strings.Contains(p.err.String(), "model.safetensors") && !strings.Contains(p.err.String(), "other settings") {
				p.names(strings.TrimSuffix(file, filepath.Ext(file)))
			}
			return
		}
		if p.code != exitOK {
			return // reported
		}
		if verb.resume {
			for _, result := range []string{"model.safetensors", "predictions.csv"} {
				if have, want := t.read("run", result), right.read("run", result); !bytes.Equal(have, want) {
					p.finding("%s after %s of %s differs from that of the undamaged run", result, kind.name, file)
				}
			}
			return
		}
		if !bytes.Equal(p.out.text, right.stdout) {
			p.finding("other output than that of the undamaged run, after %s of %s", kind.name, file)
		}
	},
}

// damageVerbs are the ways to use a run.
var damageVerbs = []struct {
	args   []string
	resume bool
}{
	{args: []string{"evaluate", "run", "--json"}},
	{args: []string{"predict", "run", "DATA"}},
	{args: []string{"embed", "run", "DATA"}},
	{args: []string{"train", "--resume", "--out", "run", "--quiet"}, resume: true},
}

// runFiles lists the files of a run folder.
func runFiles(run *reference) []string {
	entries, err := os.ReadDir(filepath.Join(run.dir, "run"))
	if err != nil {
		panic(broken{err})
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// stopped is a run that was interrupted after its first checkpoint.
func (t *trial) stopped(name string) *reference {
	kind := trainingNamed(name)
	return t.referenceBy("stopped-"+name, kind.prepare, kind.call("1"), func(p *process) {
		for !exists(p.t.path("run", "checkpoint.safetensors")) {
			time.Sleep(time.Millisecond)
		}
		_ = p.cmd.Process.Signal(syscall.SIGINT) // it may have ended
		p.codes = []int{exitInterrupted}
	})
}

// damages are what happens to files. do reports whether it changed anything.
var damages = []struct {
	name   string
	do     func(t *trial, path string, text []byte) bool
	device bool
}{
	{name: "a flipped bit", do: func(t *trial, path string, text []byte) bool {
		if len(text) == 0 {
			return false
		}
		text = bytes.Clone(text)
		text[t.IntN(len(text))] ^= 1 << t.IntN(8)
		return t.overwrite(path, text)
	}},
	{name: "flipped bits", do: func(t *trial, path string, text []byte) bool {
		if len(text) == 0 {
			return false
		}
		text = bytes.Clone(text)
		for range 2 + t.IntN(30) {
			text[t.IntN(len(text))] ^= byte(1 + t.IntN(255))
		}
		return t.overwrite(path, text)
	}},
	{name: "truncation", do: func(t *trial, path string, text []byte) bool {
		if len(text) == 0 {
			return false
		}
		return t.overwrite(path, text[:t.IntN(len(text))])
	}},
	{name: "a range of zeros", do: func(t *trial, path string, text []byte) bool {
		if len(text) == 0 {
			return false
		}
		text = bytes.Clone(text)
		from := t.IntN(len(text))
		clear(text[from : from+1+t.IntN(len(text)-from)])
		return t.overwrite(path, text)
	}},
	{name: "something appended", do: func(t *trial, path string, text []byte) bool {
		return t.overwrite(path, append(bytes.Clone(text), pick(t, "\n", "\x00", "garbage", "{}", "\xff\xfe", strings.Repeat("x", 100_000))...))
	}},
	{name: "emptying", do: func(t *trial, path string, text []byte) bool { return t.overwrite(path, nil) }},
	{name: "a folder", do: func(t *trial, path string, text []byte) bool {
		t.must(os.Remove(path))
		t.must(os.Mkdir(path, 0o755))
		return true
	}},
	{name: "that of another run", do: func(t *trial, path string, text []byte) bool {
		other := t.trained("gin")
		foreign, err := os.ReadFile(filepath.Join(other.dir, "run", filepath.Base(path)))
		if err != nil || bytes.Equal(foreign, text) {
			return false
		}
		return t.overwrite(path, foreign)
	}},
	{name: "removal", do: func(t *trial, path string, text []byte) bool {
		t.must(os.Remove(path))
		return true
	}},
	{name: "no permission", do: func(t *trial, path string, text []byte) bool {
		t.must(os.Chmod(path, 0))
		return true
	}},
	{name: "doubling", do: func(t *trial, path string, text []byte) bool {
		return t.overwrite(path, append(bytes.Clone(text), text...))
	}},
	{name: "a link to itself", do: func(t *trial, path string, text []byte) bool {
		t.must(os.Remove(path))
		t.must(os.Symlink(filepath.Base(path), path))
		return true
	}},
	{name: "a device without end", do: func(t *trial, path string, text []byte) bool {
		t.must(os.Remove(path))
		t.must(os.Symlink(pick(t, "/dev/zero", "/dev/null"), path))
		return true
	}, device: true},
}

// overwrite replaces a file and reports that it changed.
func (t *trial) overwrite(path string, text []byte) bool {
	t.must(os.WriteFile(path, text, 0o644))
	return true
}
