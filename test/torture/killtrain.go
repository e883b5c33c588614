//go:build linux

package main

import (
	"os"
	"slices"
)

// killTrain kills trainings and continues them.
var killTrain = scenario{
	name:  "kill/train",
	about: "trainings are killed at random moments and resumed: no run is refused, no file damaged, the end has the bits of the run that was never stopped",
	share: 8, quick: 8,
	trial: func(t *trial) {
		kind := trainings[t.index%len(trainings)]
		if kind.data != "" && t.lab.real(kind.data) == "" {
			kind = trainings[0]
		}
		r := t.trained(kind.name)
		kind.prepare(t)
		resume := func() []string {
			if exists(t.path("run", "config.yaml")) {
				return []string{"--resume"}
			}
			return nil
		}
		ended := false
		for range 2 + t.IntN(5) {
			if ended = t.killed(kind.call(pick(t, "1", "2"), resume()...), r.took); ended || len(t.findings) > 0 {
				break
			}
			t.whole("run")
		}
		if !ended {
			t.run(kind.call("1", resume()...))
		}
		t.whole("run")
		t.same(r, "run", "model.safetensors", "predictions.csv", "input_example.json", "schema.json", "config.yaml")
		t.leftovers("run")
	},
}

// trainings are what is trained: models with all kinds of state, on all tasks. Those of a
// second and more have checkpoints to go on from.
var trainings = []training{
	{name: "hyperdrop-long", set: "TOY", path: "TOY", args: []string{"--epochs", "500", "--hidden", "16", "--batch-size", "16"}},
	{name: "hyperdrop", set: "TOY", path: "TOY", args: []string{"--epochs", "40", "--hidden", "8", "--batch-size", "8"}},
	{name: "gin", set: "TOY", path: "TOY", args: []string{"--model", "gin", "--epochs", "60", "--hidden", "8"}},
	{name: "hypercluster", set: "TOY", path: "TOY", args: []string{"--model", "hypercluster", "--epochs", "30", "--hidden", "8"}},
	{name: "ehgnn-edge", set: "payments", path: "payments", args: []string{"--epochs", "60", "--hidden", "8", "--split", "time", "--label-context", "on"}},
	{name: "edge-regression", set: "payments", path: "payments", args: []string{"--task", "edge-regression", "--label", "amount", "--ignore", "label", "--epochs", "40", "--hidden", "8"}},
	{name: "ehgnn-joint-edge-long", set: "payments", path: "payments", args: []string{"--model", "ehgnn-joint-edge", "--epochs", "300", "--hidden", "16"}},
	{name: "node-link", set: "documents", path: "documents/documents.json", args: []string{"--epochs", "30", "--hidden", "8"}},
	{name: "nodes", set: "planetoid", path: "planetoid", args: []string{"--model", "deep-hyperdrop", "--layers", "4", "--hidden", "8", "--epochs", "80"}},
	{name: "members", set: "TOY", path: "TOY", args: []string{"--model", "gcn", "--members", "3", "--epochs", "20", "--hidden", "8"}},
	{name: "mutag", data: "MUTAG", path: "MUTAG.zip", args: []string{"--epochs", "60", "--hidden", "16"}},
}

// A training is what train is called with.
type training struct {
	name, set, path string
	data            string // a set of real data instead of set
	args            []string
}

// call trains into the folder run.
func (k training) call(threads string, more ...string) call {
	args := append([]string{"train", "data/" + k.path, "--out", "run", "--quiet", "--patience", "0", "--threads", threads}, k.args...)
	return call{args: append(args, more...)}
}

// prepare gives a trial the data.
func (k training) prepare(t *trial) {
	if k.data == "" {
		t.takes(k.set)
		return
	}
	text, err := os.ReadFile(t.lab.real(k.data))
	t.must(err)
	t.write("data/"+k.path, text)
}

// trainingNamed is one of the trainings.
func trainingNamed(name string) training {
	i := slices.IndexFunc(trainings, func(k training) bool { return k.name == name })
	return trainings[i]
}

// trained is a finished run of one of the trainings.
func (t *trial) trained(name string) *reference {
	kind := trainingNamed(name)
	return t.reference(kind.name, kind.prepare, kind.call("1"))
}
