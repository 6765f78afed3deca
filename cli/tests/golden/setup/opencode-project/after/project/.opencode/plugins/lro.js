the plugin
