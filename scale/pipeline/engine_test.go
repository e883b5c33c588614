package pipeline_test

import (
	"net"
	"os"
	"testing"

	"github.com/ehgnn/ehgnn/scale/pipeline"
	"github.com/ehgnn/ehgnn/scale/visit"
)

// The engine at EHGNN_BEAM_ENDPOINT, HOST:PORT of a job service on this machine, writes the same
// bytes as package local. Beam's Python SDK has such a service:
//
//	pip install apache-beam==2.77.0
//	python -m apache_beam.runners.portability.local_job_service_main -p 8099
func TestPortable(t *testing.T) { onEngine(t, "portable", "EHGNN_BEAM_ENDPOINT") }

// onEngine runs a job of each model on an engine. The environment variable has its address.
func onEngine(t *testing.T, runner, variable string) {
	address := os.Getenv(variable)
	if address == "" {
		t.Skipf("%s is not set", variable)
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && !ip.IsLoopback() {
		t.Fatalf("%s is %s, expected an address of this machine's own", variable, address)
	}
	for _, model := range []string{"ehgnn-edge", "ehgnn-joint-edge", "mlp-edge"} {
		t.Run(model, func(t *testing.T) {
			run, in := sample(t, model, true, small)
			c := prism(t, run, in)
			c.Runner, c.Flags = runner, []string{"--endpoint", address, "--environment_type", "LOOPBACK"}
			if _, err := pipeline.Run(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			same(t, c.Out, expected(t, run, in, visit.Predictions))
		})
	}
}
