//go:build linux

// Command torture attacks the program and checks that it keeps what docs/reliability.md
// promises. It builds the real binary and calls it as users do: nothing inside is stubbed.
//
//	make torture DURATION=5m
//
// # Design
//
// A scenario is one way to attack, in a file of its own, with a line in scenarios
// (scenario.go). It consists of trials. Trial i of a scenario draws all it needs from the
// random stream (seed, scenario, i) and works in a folder of its own, so that a finding is
// met again by naming seed, scenario and trial, whatever else ran beside it. Only the moment
// at which a process is killed depends on the machine: the stream gives it as a share of the
// time that the uninterrupted process took.
//
// What trials share is in the lab: the binary, small sets of data that are generated, and
// trained runs with the bytes that an uninterrupted process leaves. Trials copy what they
// change.
//
// Whatever a trial is about, every process is held to the bounds of process.go: its exit
// code is one of those that the trial allows, a failure has a message of moderate length
// without control characters and without a Go stack, memory and time are bounded. Killed
// processes are judged by what they leave.
//
// Workers, as many as there are processors, take the next trial of the scenario that has had
// the least of its share of the time, until the time is over or every scenario is done. Then
// the fuzz targets of the module have their share (fuzz.go). The result is a table with a
// line per scenario and target, as text and as JSON, and for each finding what was wrong and
// the command that does it again. The exit code is 1 if there are findings.
//
// The package runs on Linux: it asks the kernel for the peak memory of its children and limits
// their address space. It knows the program by its command line and its files alone, apart
// from the readers of file formats by which it checks that a file is whole. It is a module of
// its own, because no program needs it.
package main
