//go:build linux

package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// inputConfig trains with hostile YAML.
var inputConfig = scenario{
	name:  "input/config",
	about: "files for --config: damaged settings of a run, deep YAML, aliases, many keys, other types",
	share: 1, quick: 12,
	trial: func(t *trial) {
		t.takes("TOY")
		run := t.trained("hyperdrop")
		var text []byte
		n := 1 << t.IntN(16)
		switch t.IntN(8) {
		case 0:
			text = []byte(t.nested(pick(t, "[", "{a: ", "- ", "? ", "'"), pick(t, "]", "}", ""), n))
		case 1: // aliases of aliases
			var b strings.Builder
			b.WriteString("a0: &a0 [x,x]\n")
			for i := 1; i < 30; i++ {
				fmt.Fprintf(&b, "a%d: &a%d [*a%d,*a%d]\n", i, i, i-1, i-1)
			}
			text = []byte(b.String())
		case 2:
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "k%d: 1\n", i)
			}
			text = []byte(b.String())
		case 3:
			text = fmt.Appendf(nil, "%s: %s\n", pick(t, "epochs", "hidden", "layers", "lr", "model", "seed", "threads", "batch-size", "heads", "members", "fractions", "ignore", "quiet", "config"), t.odd())
		case 4:
			text = []byte(strings.Repeat(pick(t, "\x00", "# ", "x", "\t", "---\n", "!!binary "), n))
		default:
			text = t.spoiled(run.read("run", "config.yaml"))
			// What would only take long is no attack.
			text = bytes.ReplaceAll(text, []byte("epochs: "), []byte("epochs: 1 #"))
		}
		t.write("c.yaml", text)
		args := []string{"train", "data/TOY", "--config", "c.yaml", "--out", "run", "--quiet"}
		if !slices.ContainsFunc(strings.Split(string(text), "\n"), func(l string) bool { return strings.HasPrefix(l, "settings:") }) {
			args = append(args, "--epochs", "1")
		}
		t.run(call{args: args, codes: []int{exitOK, exitFailed, exitUsage}, large: true})
	},
}
