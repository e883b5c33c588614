package experiment

// Registry lists the experiments in the order help shows them.
func Registry() []Experiment {
	return []Experiment{
		graphClassification.experiment(),
		nodeClassification.experiment(),
		ablation.experiment(),
		twoMoon,
		zincEdges,
		zincGraphs,
		molGAN,
		marsExperiment,
		optimiseExperiment,
		edgeTasks,
		tablesExperiment,
		linkExperiment,
		compression,
		transformTime,
		messageTime,
	}
}
