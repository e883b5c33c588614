//go:build linux

package main

import (
	"strings"
	"syscall"
	"time"
)

// killWriters starts several processes on one run folder.
var killWriters = scenario{
	name:  "kill/writers",
	about: "several trainings of one folder at a time, some of them killed: one writes, the others are refused and say so, and a killed one locks nobody out",
	share: 2, quick: 2,
	trial: func(t *trial) {
		kind := trainings[1]
		c, r := kind.call("1"), t.trained(kind.name)
		kind.prepare(t)
		for range 1 + t.IntN(3) {
			var rivals []*process
			for range 2 + t.IntN(3) {
				again := c
				if exists(t.path("run", "config.yaml")) {
					again.args = append(c.args[:len(c.args):len(c.args)], "--resume")
				}
				rivals = append(rivals, t.start(again))
				time.Sleep(time.Duration(t.Float64() * 0.2 * float64(r.took)))
			}
			victim := rivals[t.IntN(len(rivals))]
			time.Sleep(time.Duration(t.Float64() * float64(r.took)))
			_ = victim.cmd.Process.Signal(syscall.SIGKILL) // it may have ended
			t.tally.Signals++
			for _, p := range rivals {
				p.wait()
				if p == victim && p.signal == syscall.SIGKILL {
					continue
				}
				p.codes = []int{exitOK, exitUsage}
				p.check()
				if message := p.err.String(); p.refused() && !strings.Contains(message, "is being written to by") && !strings.Contains(message, "holds a run already") {
					p.finding("refused for another reason than that the folder is in use")
				}
			}
			t.whole("run")
		}
		if exists(t.path("run", "config.yaml")) {
			c.args = append(c.args[:len(c.args):len(c.args)], "--resume")
		}
		t.run(c)
		t.same(r, "run", "model.safetensors", "predictions.csv")
		t.leftovers("run")
	},
}
