package serve

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the metrics for Prometheus.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	waited   prometheus.Histogram
	batch    prometheus.Histogram
	inFlight prometheus.Gauge
	reloads  *prometheus.CounterVec
}

func newMetrics(runs map[string]*Run) *metrics {
	times := []float64{.0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 30}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "ehgnn_requests_total", Help: "Requests that were answered, by route and status."}, []string{"route", "code"}),
		seconds:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "ehgnn_request_seconds", Help: "Time from the head of a request to the end of its reply.", Buckets: times}, []string{"route"}),
		waited:   prometheus.NewHistogram(prometheus.HistogramOpts{Name: "ehgnn_queue_seconds", Help: "Time that the first graph of a batch waited for a worker.", Buckets: times}),
		batch:    prometheus.NewHistogram(prometheus.HistogramOpts{Name: "ehgnn_batch_graphs", Help: "Graphs that a worker computed together.", Buckets: []float64{1, 2, 4, 8, 16, 32}}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "ehgnn_in_flight", Help: "Requests that are being answered."}),
		reloads:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "ehgnn_reloads_total", Help: "New weights of runs: loaded, or refused and the old ones kept."}, []string{"result"}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.waited, m.batch, m.inFlight, m.reloads, modelInfo(runs),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, result := range []string{"loaded", "refused"} {
		m.reloads.WithLabelValues(result) // so that they exist with value 0
	}
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// answered counts a request.
func (m *metrics) answered(route string, code int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(code)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

// batched counts the batches of workers.
func (m *metrics) batched(graphs int, waited time.Duration) {
	m.batch.Observe(float64(graphs))
	m.waited.Observe(waited.Seconds())
}

// modelInfo says which weights are in use.
type modelInfo map[string]*Run

var infoDesc = prometheus.NewDesc("ehgnn_model_info", "Runs that are served, by the digest of their weights.", []string{"model", "digest", "task"}, nil)

// Describe implements prometheus.Collector.
func (modelInfo) Describe(to chan<- *prometheus.Desc) { to <- infoDesc }

// Collect implements prometheus.Collector.
func (runs modelInfo) Collect(to chan<- prometheus.Metric) {
	for name, r := range runs {
		l := r.now.Load()
		to <- prometheus.MustNewConstMetric(infoDesc, prometheus.GaugeValue, 1, name, l.digest, l.model.Task())
	}
}
