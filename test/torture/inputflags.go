//go:build linux

package main

import (
	"regexp"
	"slices"
	"strings"
)

// inputFlags gives flags values that nobody means.
var inputFlags = scenario{
	name:  "input/flags",
	about: "flags with huge, negative, empty, long and binary values, for every verb",
	share: 1, quick: 20,
	trial: func(t *trial) {
		t.takes("TOY")
		t.takes("payments")
		run := t.trained("hyperdrop")
		verb := pick(t,
			[]string{"train", "data/TOY", "--out", "run", "--epochs", "1", "--hidden", "4"},
			[]string{"train", "data/TOY", "--out", "run", "--epochs", "1", "--hidden", "4", "--model", pick(t, modelNames...)},
			[]string{"train", "data/payments", "--out", "run", "--epochs", "1", "--hidden", "4", "--model", pick(t, "ehgnn-roles", "ehgnn-edge", "ehgnn-joint-edge", "gin-edge", "pna-edge", "linegraph-edge", "attention-edge", "mlp-edge")},
			[]string{"data", "info", "data/TOY"}, []string{"data", "info", "data/payments"}, []string{"data", "convert", "data/TOY", "converted"},
			[]string{"predict", run.dir + "/run", "data/TOY"}, []string{"evaluate", run.dir + "/run", "data/TOY"}, []string{"embed", run.dir + "/run", "data/TOY"},
			[]string{"reproduce", "graph-classification", "--dataset", "data/TOY", "--epochs", "1", "--hidden", "4", "--folds", "1", "--out", "grid"},
			[]string{"data", "list"}, []string{"version"}, []string{"help"}, []string{"completion", "bash"})
		args := slices.Clone(verb)
		flags := t.flagsOf(verb)
		for range 1 + t.IntN(2) {
			flag := pick(t, flags...)
			if flag == "epochs" || flag == "seeds" || flag == "patience" { // those that only take long
				continue
			}
			args = append(args, "--"+flag+"="+t.argument(flag))
		}
		if t.IntN(6) == 0 {
			args = append(args, t.argument(""))
		}
		if t.IntN(12) == 0 {
			args = []string{t.argument(""), t.argument("")}
		}
		p := t.run(call{args: args, codes: []int{exitOK, exitFailed, exitUsage}, talks: true, large: true})
		if p.refused() && p.err.total > maxMessage {
			p.finding("a message of %d bytes, expected at most %d", p.err.total, maxMessage)
		}
	},
}

// argument is a value of a flag as the system can hand it on.
func (t *trial) argument(flag string) string {
	value := t.odd()
	if slices.Contains([]string{"hidden", "layers", "heads", "clusters", "batch-size", "members", "threads", "folds", "fold", "edge-hidden", "depths"}, flag) && t.IntN(2) == 0 {
		value = pick(t, "1000000000", "1000000", "65536", "4096", "9223372036854775807", "0", "-1")
	}
	if flag == "out" {
		value = pick(t, "", "/dev/full", "/proc/x", "data/TOY", "data/TOY/TOY_A.txt", "no/such/folder/run", strings.Repeat("n", 300), "a\x1b[2Jb", "\xff")
	}
	return strings.ReplaceAll(value[:min(len(value), 100_000)], "\x00", "")
}

var flagLine = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z-]+)`)

// flagsOf lists the flags of a verb by its help.
func (t *trial) flagsOf(verb []string) []string {
	var words []string
	for _, w := range verb {
		if strings.ContainsAny(w, "/-") && !strings.HasPrefix(w, "graph-") || len(words) == 2 {
			break
		}
		words = append(words, w)
	}
	p := t.run(call{args: append(words, "--help")})
	var flags []string
	for _, m := range flagLine.FindAllStringSubmatch(p.out.String(), -1) {
		flags = append(flags, m[1])
	}
	return flags
}

// modelNames are models that build large things of their settings.
var modelNames = []string{"hyperdrop", "hypercluster", "hypercluster-graph", "hyperdrop-gmt", "hyperdrop-mlp", "ehgnn-joint", "deepset", "gcn", "graphsage", "gat", "gatv2", "gin", "gine", "egcn", "mpnn",
	"rgcn", "egnn", "mlp", "gine-residual", "gatedgcn", "sortpool", "gmt", "diffpool", "mincutpool", "topkpool", "sagpool", "asap", "edgepool", "haarpool"}
