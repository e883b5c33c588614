//go:build linux

package main

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
)

// killGrid kills grids of experiments.
var killGrid = scenario{
	name:  "kill/reproduce",
	about: "grids of reproduce are killed at random moments and repeated: the tables have the bytes of the grid that was never stopped",
	share: 4, quick: 3,
	trial: func(t *trial) {
		kind := grids[t.index%len(grids)]
		prepare := func(t *trial) { t.takes("TOY") }
		grid := func(threads string) call {
			return call{args: append(append([]string{"reproduce"}, kind...), "--dataset", "data/TOY", "--out", "grid", "--quiet", "--threads", threads)}
		}
		r := t.reference("grid-"+kind[0]+kind[len(kind)-1], prepare, grid("1"))
		prepare(t)
		ended := false
		for range 2 + t.IntN(5) {
			if ended = t.killed(grid(pick(t, "1", "2")), r.took); ended || len(t.findings) > 0 {
				break
			}
			t.whole("grid")
		}
		if !ended {
			t.run(grid("2"))
		}
		t.whole("grid")
		for _, name := range []string{"table.csv", "folds.csv"} {
			if have, want := t.withoutTimes(t.read("grid", name)), t.withoutTimes(r.read("grid", name)); !slices.EqualFunc(have, want, slices.Equal) {
				t.finding("grid/%s differs from that of the uninterrupted process:\n%q, expected\n%q", name, have, want)
			}
		}
		t.leftovers("grid")
	},
}

// grids are the experiments with what makes them small.
var grids = [][]string{
	{"graph-classification", "--model", "gcn,hyperdrop", "--epochs", "30", "--hidden", "8"},
	{"ablation", "--model", "hyperdrop,randdrop,gcn", "--epochs", "15", "--hidden", "8"},
	{"graph-classification", "--model", "deepset,gin", "--seeds", "2", "--epochs", "15", "--hidden", "16"},
}

// withoutTimes is a table without the column of seconds, which differ.
func (t *trial) withoutTimes(text []byte) [][]string {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 {
		return [][]string{{"no table", string(text)}}
	}
	seconds := slices.IndexFunc(rows[0], func(name string) bool { return strings.Contains(name, "seconds") })
	for i := range rows {
		if seconds >= 0 {
			rows[i] = slices.Delete(rows[i], seconds, seconds+1)
		}
	}
	return rows
}
