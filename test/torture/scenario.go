//go:build linux

package main

// A scenario is one way to attack the program.
type scenario struct {
	name  string // "kill/train"; what stands before the slash is the group
	about string
	share float64 // of the time, relative to the others
	quick int     // trials in the subset that tests run
	cases int     // number of its trials; 0 for as many as there is time for
	trial func(t *trial)
}

// scenarios lists the scenarios, in the order of the report.
var scenarios = []scenario{
	killTrain, killGrid, killOutput, killWriters,
	damageRun,
	inputTU, inputDGCNN, inputOGB, inputPlanetoid, inputTables, inputParquet, inputNodeLink, inputArchive,
	inputConfig, inputWeights, inputFlags,
	faults, fetching, serveMemory, serveConnections,
}
